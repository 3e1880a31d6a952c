/**
 * Compresses the assets at build time, so that the server does not have to.
 */
import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import type { Plugin } from "vite"

const COMPRESSIBLE = /\.(?:css|js|svg)$/

/** The maximum of 11 takes about ten times as long and saves a few percent. */
const QUALITY = { [constants.BROTLI_PARAM_QUALITY]: 9 }

/** Writes a `.br` and a `.gz` beside each asset. */
export const compress = (): Plugin => ({
  name: "quarterdeck-compress",
  apply: "build",
  async writeBundle({ dir }) {
    const folder = join(dir ?? "dist", "assets")
    for (const name of (await readdir(folder)).filter((name) => COMPRESSIBLE.test(name))) {
      const path = join(folder, name)
      const content = await readFile(path)
      await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: constants.Z_BEST_COMPRESSION }))
      await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params: QUALITY }))
    }
  }
})
