/**
 * The key that signs cursors, stored in the data directory so that cursors stay valid after a restart.
 */
import { CursorKey } from "@quarterdeck/cluster-fanout/Cursor"
import { Layer } from "effect"
import * as InstallationKey from "./InstallationKey.ts"

/** Reads the cursor key from a data directory, or creates it there. **Errors** `DataDirectoryUnusable`. */
export const layer = (dataDirectory: string) =>
  Layer.effect(CursorKey, InstallationKey.readOrMake(dataDirectory, "cursor.key"))
