/* The arrays of an FMU's resources folder: read once per process and folder, shared by all instances, freed with the
 * last one. Each is an .npy file of version 1.0 in rows, of exactly the type and shape the FMU was built for. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "instance.h"

struct Shared {
    Shared *next;
    int users;
    char *folder;
    void *data[1]; /* one for each resource */
};

static Shared *all_shared;

/* instances may come and go in several threads; waiting is rare and ends when the other has read its files */
static volatile long shared_lock;
#if defined(__GNUC__)
static void lock(void) { while (__sync_lock_test_and_set(&shared_lock, 1)) {} }
static void unlock(void) { __sync_lock_release(&shared_lock); }
#elif defined(_MSC_VER)
#include <intrin.h>
static void lock(void) { while (_InterlockedExchange(&shared_lock, 1)) {} }
static void unlock(void) { _InterlockedExchange(&shared_lock, 0); }
#else
#error "resources.c: this compiler needs its own atomic exchange here"
#endif

/* ---- from the URI to a folder ---- */

static int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

static int starts_with(const char *text, const char *begin) {
    for (; *begin; text++, begin++)
        if ((*text >= 'A' && *text <= 'Z' ? *text - 'A' + 'a' : *text) != *begin) return 0;
    return 1;
}

/* The path of file:///path, file://localhost/path, file:/path, or a text without a scheme. Null with a reason if it is
 * none of these, or out of memory */
static char *folder_of_uri(const char *uri, const char **reason) {
    char *path = malloc(strlen(uri) + 1), *to = path;
    *reason = "out of memory";
    if (!path) return NULL;
    if (!starts_with(uri, "file:")) {
        *reason = "only file: is read";
        if (strstr(uri, "://")) { free(path); return NULL; }
        strcpy(path, uri);
    } else {
        uri += strlen("file:");
        if (starts_with(uri, "//localhost/")) uri += strlen("//localhost");
        else if (starts_with(uri, "///")) uri += 2;
#ifdef _WIN32
        /* file:///C:/x, file:/C:/x and, as some tools write it, file://C:/x; file://server/x stays a network path */
        if (starts_with(uri, "//") && uri[2] && uri[3] == ':') uri += 2;
        if (uri[0] == '/' && uri[1] && uri[2] == ':') uri++;
#else
        *reason = "it names another machine";
        if (starts_with(uri, "//")) { free(path); return NULL; }
#endif
        *reason = "a percent sign is not followed by two digits of a byte";
        for (; *uri; uri++) {
            if (*uri != '%') { *to++ = *uri; continue; }
            int high = hex_digit(uri[1]), low = high < 0 ? -1 : hex_digit(uri[2]);
            if (low < 0 || 16*high + low == 0) { free(path); return NULL; }
            *to++ = (char) (16*high + low);
            uri += 2;
        }
        *to = '\0';
    }
    for (to = path + strlen(path); to > path + 1 && to[-1] == '/'; ) *--to = '\0';
    return path;
}

/* ---- from a file to an array ---- */

#ifdef _WIN32
#include <wchar.h>

/* Windows does not open files by names in UTF-8 */
static FILE *open_file(const char *path) {
    wchar_t *wide = malloc((strlen(path) + 1)*sizeof(wchar_t)), *to = wide;
    if (!wide) return NULL;
    for (const unsigned char *from = (const unsigned char *) path; *from; ) {
        unsigned long c = *from++;
        int more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : c >= 0xC0 ? 1 : 0;
        if (more) c &= 0x3FuL >> more;
        for (; more && (*from & 0xC0) == 0x80; more--) c = c << 6 | (*from++ & 0x3F);
        if (c >= 0x10000) {
            *to++ = (wchar_t) (0xD800 + ((c - 0x10000) >> 10));
            c = 0xDC00 + ((c - 0x10000) & 0x3FF);
        }
        *to++ = (wchar_t) c;
    }
    *to = 0;
    FILE *file = _wfopen(wide, L"rb");
    free(wide);
    return file;
}
#else
static FILE *open_file(const char *path) { return fopen(path, "rb"); }
#endif

static const char *const other_header = "its header is not one that numpy writes";

/* the rest of the header behind `text`, which may follow blanks; null if something else is there */
static const char *expect(const char *at, const char *text) {
    if (!at) return NULL;
    while (*at == ' ') at++;
    return strncmp(at, text, strlen(text)) ? NULL : at + strlen(text);
}

/* the text of a shape as Python writes it: (3,) or (3, 4) */
static void write_shape(char *text, const Resource *wanted) {
    size_t at = (size_t) sprintf(text, "(");
    for (int i = 0; i < wanted->dimensions; i++)
        at += (size_t) sprintf(text + at, i ? ", %lld" : "%lld", wanted->shape[i]);
    sprintf(text + at, wanted->dimensions == 1 ? ",)" : ")");
}

static const char *type_in_words(const Resource *wanted) {
    return wanted->width == 8 ? "64-bit floats" : wanted->width == 4 ? "32-bit floats" : "bytes";
}

/* null if the header is that of the array wanted, else what is wrong, in `text` */
static const char *fault_of_header(const char *header, const Resource *wanted, char *text, size_t size) {
    char shape[24*MAX_DIMENSIONS];
    const char *at = expect(expect(expect(expect(header, "{"), "'descr'"), ":"), "'"), *next = expect(at, wanted->type);
    if (!at) return other_header;
    if (!(next = expect(next, "'"))) {
        snprintf(text, size, "its numbers are not %s ('%s')", type_in_words(wanted), wanted->type);
        return text;
    }
    at = expect(expect(expect(next, ","), "'fortran_order'"), ":");
    if (!at) return other_header;
    if (!(next = expect(at, "False"))) return "it is stored by columns (fortran_order)";
    at = expect(expect(expect(next, ","), "'shape'"), ":");
    if (!at) return other_header;
    while (*at == ' ') at++;
    write_shape(shape, wanted);
    if (!(next = expect(at, shape))) {
        int length = (int) strspn(at, "(0123456789, "); /* only these, as the file may hold anything */
        if (at[length] == ')') length++;
        snprintf(text, size, "its shape is %.*s, but the FMU was built for %s", length < 60 ? length : 60, at, shape);
        return text;
    }
    if (!(at = expect(next, ","))) at = next;
    if (!(at = expect(at, "}"))) return other_header;
    while (*at == ' ') at++;
    return *at == '\n' && !at[1] ? NULL : other_header;
}

/* null if the array was read into *data, which must then be freed, else what is wrong, perhaps in `text` */
static const char *read_array(FILE *file, const Resource *wanted, void **data, char *text, size_t size) {
    unsigned char head[10];
    char header[1024];
    if (fread(head, 1, 10, file) != 10 || memcmp(head, "\x93NUMPY", 6)) return "it is no .npy file";
    if (head[6] != 1 || head[7] != 0) return "it is an .npy file of another version than 1.0";
    size_t length = head[8] + 256u*head[9];
    if (length >= sizeof header) return other_header;
    if (fread(header, 1, length, file) != length) return "it ends within its header";
    header[length] = '\0';
    const char *fault = fault_of_header(header, wanted, text, size);
    if (fault) return fault;
    size_t count = (size_t) wanted->size, width = (size_t) wanted->width;
    *data = malloc(count*width);
    if (!*data) return "out of memory";
    size_t got = fread(*data, width, count, file);
    if (got != count) {
        snprintf(text, size, "it ends after %lu of %lu numbers", (unsigned long) got, (unsigned long) count);
        return text;
    }
    return fgetc(file) == EOF ? NULL : "it is longer than its header says";
}

/* ---- shared by the instances ---- */

static void free_shared(Shared *shared) {
    if (!shared) return;
    for (int i = 0; i < model.n_resources; i++) free(shared->data[i]);
    free(shared->folder);
    free(shared);
}

/* takes ownership of the folder; null with a fault in `message`, which is of `size` bytes */
static Shared *load(char *folder, char *message, size_t size) {
    Shared *shared = calloc(1, sizeof(Shared) + (size_t) model.n_resources*sizeof(void *));
    if (!shared) {
        snprintf(message, size, "out of memory");
        free(folder);
        return NULL;
    }
    shared->folder = folder;
    for (int i = 0; i < model.n_resources; i++) {
        const Resource *wanted = &model.resources[i];
        char text[256], *path = malloc(strlen(folder) + strlen(wanted->file) + 2);
        const char *fault = "out of memory";
        if (path) {
            sprintf(path, "%s/%s", folder, wanted->file);
            FILE *file = open_file(path);
            fault = file ? read_array(file, wanted, &shared->data[i], text, sizeof text) : strerror(errno);
            if (file) fclose(file);
            free(path);
        }
        if (fault) {
            snprintf(message, size, "resource %s: %s; folder: %s", wanted->file, fault, folder);
            free_shared(shared);
            return NULL;
        }
    }
    return shared;
}

static const void *resource(const Instance *I, int i) { return I->shared->data[i]; }

static int acquire_resources(Instance *I, const char *uri) {
    const char *reason = "none is given";
    char *folder = uri && *uri ? folder_of_uri(uri, &reason) : NULL;
    if (!folder) {
        report(I, fmi2Error, "%s: the resource location %s cannot be used: %s", model.name, uri ? uri : "(null)", reason);
        return 1;
    }
    char message[512];
    lock();
    Shared *shared = all_shared;
    while (shared && strcmp(shared->folder, folder)) shared = shared->next;
    if (shared) {
        free(folder);
    } else if ((shared = load(folder, message, sizeof message))) {
        shared->next = all_shared;
        all_shared = shared;
    }
    if (shared) shared->users++;
    unlock();
    /* not before: the importer's logger may call what it likes */
    if (!shared) report(I, fmi2Error, "%s: %s", model.name, message);
    I->shared = shared;
    return !shared;
}

static void release_resources(Instance *I) {
    if (!I->shared) return;
    lock();
    if (!--I->shared->users) {
        Shared **link = &all_shared;
        while (*link != I->shared) link = &(*link)->next;
        *link = I->shared->next;
        free_shared(I->shared);
    }
    unlock();
    I->shared = NULL;
}
