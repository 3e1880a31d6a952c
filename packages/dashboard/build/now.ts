/** `pnpm dashboard:build`: builds the pages. */
import { build } from "./build.ts"

await build("info")
