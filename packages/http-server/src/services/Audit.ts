/**
 * The audit layers, wired from the settings.
 */
import { AuditExporter, AuditKey, AuditLog, AuditStore } from "@quarterdeck/keys"
import { Effect, Layer } from "effect"
import type { Settings } from "../settings/Settings.ts"
import * as AuditSinks from "./AuditSinks.ts"
import * as InstallationKey from "./InstallationKey.ts"

/** Provides the audit of the data directory. **Errors** `AuditStoreError` when it cannot be opened. */
export const layer = ({ audit, dataDirectory: directory, webhooks }: Settings) =>
  Layer.merge(AuditLog.AuditLog.layer({ directory }), exported({ audit, dataDirectory: directory, webhooks })).pipe(
    Layer.provideMerge(AuditStore.AuditStore.layerSqlite({ directory })),
    Layer.provide(Layer.effect(AuditKey.AuditKey, InstallationKey.readOrMake(directory, AuditKey.KEY_FILE))),
    Layer.provide(Layer.succeed(AuditLog.AuditSettings, audit))
  )

const exported = ({
  audit: { export: settings },
  dataDirectory: directory,
  webhooks
}: Pick<Settings, "audit" | "dataDirectory" | "webhooks">) =>
  settings === undefined
    ? Layer.empty
    : Layer.unwrap(Effect.map(AuditSinks.make(settings, webhooks), (sink) => AuditExporter.layer({ directory, sink })))
