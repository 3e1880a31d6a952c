/**
 * The audit, wired from the settings.
 */
import { AuditKey, AuditLog, AuditStore } from "@quarterdeck/keys"
import { Layer } from "effect"
import type { Settings } from "../settings/Settings.ts"
import * as InstallationKey from "./InstallationKey.ts"

/** Provides the audit of the data directory. **Errors** `AuditStoreError` when it cannot be opened. */
export const layer = ({ audit, dataDirectory: directory }: Settings) =>
  AuditLog.AuditLog.layer({ directory }).pipe(
    Layer.provideMerge(AuditStore.AuditStore.layerSqlite({ directory })),
    Layer.provide(Layer.effect(AuditKey.AuditKey, InstallationKey.readOrMake(directory, AuditKey.KEY_FILE))),
    Layer.provide(Layer.succeed(AuditLog.AuditSettings, audit))
  )
