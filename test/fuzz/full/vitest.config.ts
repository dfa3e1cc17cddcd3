/** How the fuzzers at full size are run: as the others are, but only these. */

import { defineConfig, mergeConfig } from "vitest/config";
import shared from "../../../vitest.config.ts";

const { exclude: _others, ...settings } = shared.test ?? {};

export default mergeConfig(
  defineConfig({ test: { ...settings, include: [] } }),
  defineConfig({
    root: `${import.meta.dirname}/../../..`,
    test: { include: ["test/fuzz/full/**/*.test.ts"] },
  }),
);
