/**
 * Logs for people or machines, and traces, metrics and logs to an OpenTelemetry collector where one is configured.
 */
import { Layer, Logger, References } from "effect"
import { FetchHttpClient } from "effect/http"
import { Otlp } from "effect/observability"
import type { Settings } from "../settings/Settings.ts"
import * as JsonLine from "./JsonLine.ts"
import * as LogLines from "./LogLines.ts"

const LEVELS = { trace: "Trace", debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const

/** What is still unsent when the service stops has this long to be sent. */
const SHUTDOWN = "3 seconds"

/**
 * Provides loggers and exporters.
 *
 * **Shape** log lines go to standard error, as text or one JSON object a line; OTLP over HTTP as JSON, to the paths
 * `/v1/traces`, `/v1/metrics` and `/v1/logs` below the endpoint.
 *
 * **Limits** a collector that does not answer never holds up a request.
 */
export const layer = ({ logFormat, logLevel, otlpEndpoint }: Settings["telemetry"]) => {
  const loggers = Logger.layer([logFormat === "json" ? jsonToStderr : textToStderr])
  const level = Layer.succeed(References.MinimumLogLevel, LEVELS[logLevel])
  // Spans that nobody is told of are work for nothing.
  if (otlpEndpoint === undefined) return Layer.mergeAll(loggers, level, Layer.succeed(References.TracerEnabled, false))
  const exporters = Otlp.layerJson({
    baseUrl: otlpEndpoint,
    resource: { serviceName: "quarterdeck" },
    loggerMergeWithExisting: true,
    shutdownTimeout: SHUTDOWN
  }).pipe(Layer.provide(FetchHttpClient.layer))
  return Layer.provideMerge(Layer.merge(exporters, level), loggers)
}

/** Standard output belongs to what a command prints. */
const textToStderr = LogLines.make(Logger.formatLogFmt)
const jsonToStderr = LogLines.make(JsonLine.format)
