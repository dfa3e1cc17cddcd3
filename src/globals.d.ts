/** The package's version, which the build puts in its place; undefined when the sources run as they are. */
declare const __COURIER_VERSION__: string | undefined;
/** The commands as completion sees them, as JSON. */
declare const __COURIER_TREE__: string | undefined;
/** The completion scripts by shell. */
declare const __COURIER_SCRIPTS__: Readonly<Record<string, string>> | undefined;
