/**
 * Logs to standard error, and exports traces, metrics and logs to a configured OpenTelemetry collector.
 */
import { Layer, Logger, References } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp } from "effect/observability"
import type { Settings } from "../settings/Settings.ts"
import * as JsonLine from "./JsonLine.ts"
import * as LogLines from "./LogLines.ts"
import * as TextLine from "./TextLine.ts"

const LEVELS = { trace: "Trace", debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

/** Time to send the remaining data at shutdown. */
const SHUTDOWN = "3 seconds"

/**
 * Provides loggers and exporters.
 *
 * **Shape** log lines are text or one JSON object per line. OTLP is JSON over HTTP, to the paths `/v1/traces`,
 * `/v1/metrics` and `/v1/logs` below the endpoint.
 *
 * **Limits** a collector that does not answer delays no request.
 */
export const layer = ({ logFormat, logLevel, otlpEndpoint }: Settings["telemetry"]) => {
  const loggers = Logger.layer([logFormat === "json" ? jsonToStderr : textToStderr])
  const level = Layer.succeed(References.MinimumLogLevel, LEVELS[logLevel])
  // Without a collector, spans have no reader.
  if (otlpEndpoint === undefined) return Layer.mergeAll(loggers, level, Layer.succeed(References.TracerEnabled, false))
  const exporters = Otlp.layerJson({
    baseUrl: otlpEndpoint,
    resource: { serviceName: "quarterdeck" },
    loggerMergeWithExisting: true,
    shutdownTimeout: SHUTDOWN
  }).pipe(Layer.provide(FetchHttpClient.layer))
  return Layer.provideMerge(Layer.merge(exporters, level), loggers)
}

/** Logs go to standard error, because standard output is for the output of commands. */
const textToStderr = LogLines.make(TextLine.format)
const jsonToStderr = LogLines.make(JsonLine.format)
