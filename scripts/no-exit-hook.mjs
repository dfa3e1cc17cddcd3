/** Owns the bundle's stand-in for the package when-exit: it registers nothing. */

// biome-ignore lint/style/noDefaultExport: the package has one
export default () => () => {};
