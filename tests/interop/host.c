/* A host that knows nothing but FMI 2.0: loads an FMU's library, runs it, prints the last outputs.
 * usage: host LIBRARY GUID VR_IN VALUE VR_OUT N_OUT STEPS H ROUNDS [RESOURCES] */
#include <stdio.h>
#include <stdlib.h>

#include "fmi2FunctionTypes.h"

#define MOST 500

#ifdef _WIN32
#include <windows.h>

int main(int argc, char **argv);
int _configure_narrow_argv(int mode);
/* stands in for the start-up code of a C library, which takes minutes to compile */
void start(void) {
    _configure_narrow_argv(1);
    exit(main(*__p___argc(), *__p___argv()));
}
void __main(void) {}

#define dlopen(path, how) LoadLibraryA(path)
#define dlsym(library, name) GetProcAddress(library, name)
#define dlclose FreeLibrary
#define dlerror() "the library does not load"
#else
#include <dlfcn.h>
#endif

#define GET(name)                                          \
    name##TYPE *name = (name##TYPE *) dlsym(library, #name); \
    if (!name) return fprintf(stderr, "no %s\n", #name), 1

int main(int argc, char **argv) {
    if (argc != 10 && argc != 11) return 2;
    unsigned in = (unsigned) atoi(argv[3]), out[MOST];
    int n = atoi(argv[6]);
    double value = atof(argv[4]), h = atof(argv[8]), y[MOST];
    if (n < 1 || n > MOST) return 2;
    for (int i = 0; i < n; i++) out[i] = (unsigned) (atoi(argv[5]) + i);

    for (int round = 0; round < atoi(argv[9]); round++) {
        void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
        if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
        GET(fmi2Instantiate);
        GET(fmi2SetupExperiment);
        GET(fmi2EnterInitializationMode);
        GET(fmi2ExitInitializationMode);
        GET(fmi2SetReal);
        GET(fmi2GetReal);
        GET(fmi2DoStep);
        GET(fmi2Terminate);
        GET(fmi2FreeInstance);

        /* the poorest callbacks an importer may give: none at all */
        fmi2CallbackFunctions callbacks = {0};
        fmi2Component c = fmi2Instantiate("", fmi2CoSimulation, argv[2], argv[10], &callbacks, fmi2False, fmi2False);
        if (!c) return fprintf(stderr, "no instance\n"), 1;
        int failed = fmi2SetupExperiment(c, fmi2False, 0.0, 0.0, fmi2False, 0.0) != fmi2OK;
        failed |= fmi2SetReal(c, &in, 1, &value) != fmi2OK;
        failed |= fmi2EnterInitializationMode(c) != fmi2OK;
        failed |= fmi2ExitInitializationMode(c) != fmi2OK;
        for (int i = 0; i < atoi(argv[7]); i++) failed |= fmi2DoStep(c, i*h, h, fmi2True) != fmi2OK;
        failed |= fmi2GetReal(c, out, (size_t) n, y) != fmi2OK;
        failed |= fmi2Terminate(c) != fmi2OK;
        fmi2FreeInstance(c);
        if (failed) return fprintf(stderr, "a call failed\n"), 1;
        for (int i = 0; i < n; i++) printf("%.17g\n", y[i]);
        dlclose(library);
    }
    return 0;
}
