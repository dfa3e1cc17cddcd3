/** The package's version, which the build puts in its place; undefined when the sources run as they are. */
declare const __COURIER_VERSION__: string | undefined;
