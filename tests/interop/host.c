/* A host that knows nothing but FMI 2.0: loads a unit's library, runs it, prints the last output.
 * usage: host LIBRARY GUID VR_IN VALUE VR_OUT STEPS H ROUNDS */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "fmi2FunctionTypes.h"

#define GET(name)                                          \
    name##TYPE *name = (name##TYPE *) dlsym(library, #name); \
    if (!name) return fprintf(stderr, "no %s\n", #name), 1

int main(int argc, char **argv) {
    if (argc != 9) return 2;
    unsigned in = (unsigned) atoi(argv[3]), out = (unsigned) atoi(argv[5]);
    double value = atof(argv[4]), h = atof(argv[7]), y = 0.0;

    for (int round = 0; round < atoi(argv[8]); round++) {
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
        fmi2Component c = fmi2Instantiate("", fmi2CoSimulation, argv[2], NULL, &callbacks, fmi2False, fmi2False);
        if (!c) return fprintf(stderr, "no instance\n"), 1;
        int failed = fmi2SetupExperiment(c, fmi2False, 0.0, 0.0, fmi2False, 0.0) != fmi2OK;
        failed |= fmi2SetReal(c, &in, 1, &value) != fmi2OK;
        failed |= fmi2EnterInitializationMode(c) != fmi2OK;
        failed |= fmi2ExitInitializationMode(c) != fmi2OK;
        for (int i = 0; i < atoi(argv[6]); i++) failed |= fmi2DoStep(c, i*h, h, fmi2True) != fmi2OK;
        failed |= fmi2GetReal(c, &out, 1, &y) != fmi2OK;
        failed |= fmi2Terminate(c) != fmi2OK;
        fmi2FreeInstance(c);
        if (failed) return fprintf(stderr, "a call failed\n"), 1;
        printf("%.17g\n", y);
        dlclose(library);
    }
    return 0;
}
