/**
 * The key that signs cursors, kept beside the other data so that a cursor outlives a restart.
 */
import { CursorKey } from "@quarterdeck/cluster-fanout/Cursor"
import { Layer } from "effect"
import * as InstallationKey from "./InstallationKey.ts"

/** Provides the key of a data directory. **Errors** `DataDirectoryUnusable`. */
export const layer = (dataDirectory: string) =>
  Layer.effect(CursorKey, InstallationKey.readOrMake(dataDirectory, "cursor.key"))
