/**
 * The whole service as a value to mount: a Node request handler, a web-standard handler and an Effect layer.
 */
import "./NodeVersion.ts"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, Effect, Layer, ManagedRuntime, Option, type Scope } from "effect"
import { HttpEffect, HttpRouter, HttpServerRequest, type HttpServerResponse } from "effect/http"
import type { RequestListener } from "node:http"
import { HotReads } from "./http/hot/HotReads.ts"
import * as MountPath from "./http/request/MountPath.ts"
import * as RequestSpan from "./http/request/RequestSpan.ts"
import * as Routes from "./http/Routes.ts"
import { Streams } from "./http/stream/Streams.ts"
import * as Services from "./Services.ts"
import * as Options from "./settings/Options.ts"
import type { Ports } from "./settings/Ports.ts"
import type { Settings } from "./settings/Settings.ts"
import * as Telemetry from "./services/Telemetry.ts"

/** The service as an effect that answers the current request and never fails. */
export type App = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  never,
  HttpServerRequest.HttpServerRequest | Scope.Scope
>

/** Facts about a request that a web-standard `Request` does not carry. */
export interface WebRequestFacts {
  /** The address of the client. The host must take it from its socket, not from a header. */
  readonly clientAddress?: string | undefined
  /** The path prefix that the host removed, for the OpenAPI document. **Example** `/quarterdeck` */
  readonly mountPath?: string | undefined
}

/** The service for a host outside Effect. `dispose` stops the service, as does `await using`. */
export interface Embedded extends AsyncDisposable {
  /**
   * Serves a Node request. Unlike `webHandler`, this handler sees repeated headers one by one and takes the client's
   * address from the socket. Mount it before anything that reads the body.
   */
  readonly nodeHandler: RequestListener
  /**
   * Serves a web-standard request.
   *
   * A `Request` joins repeated headers. A repeated `Authorization` or cluster header is therefore refused as malformed.
   * The host must bound the size of headers, end slow requests, and terminate TLS.
   */
  readonly webHandler: (request: Request, facts?: WebRequestFacts) => Promise<Response>
  readonly dispose: () => Promise<void>
}

const ClientAddress = Context.Reference<Option.Option<string>>("@quarterdeck/http-server/ClientAddress", {
  defaultValue: () => Option.none()
})

/**
 * The running service.
 *
 * **Example**
 *
 * ```ts
 * await using quarterdeck = await Quarterdeck.start({ clusters: { kubeconfig: ["./kubeconfig.yaml"] } })
 * express().use("/quarterdeck", quarterdeck.nodeHandler).listen(8080)
 * ```
 */
export class Quarterdeck extends Context.Service<
  Quarterdeck,
  {
    readonly app: App
    readonly nodeHandler: RequestListener
    readonly webHandler: Embedded["webHandler"]
    /** Ends every stream, so that a closing listener does not wait for streams. */
    readonly endStreams: Effect.Effect<void>
  }
>()("@quarterdeck/http-server/Quarterdeck") {
  /**
   * Starts the service: registry, watches, keys. It serves requests at once. `/readyz` succeeds after every cluster has
   * synced or proved unreadable; see `HealthHandlers`.
   *
   * **Errors** every reason why the service cannot start with these settings. The parts already started are closed.
   */
  static readonly layerSettings = (settings: Settings, ports: Ports = {}) =>
    Layer.effect(
      Quarterdeck,
      Effect.gen(function* () {
        const app = yield* Routes.make
        const scope = yield* Effect.scope
        const ordinary = yield* NodeHttpServer.makeHandler(app, { scope }).pipe(RequestSpan.withoutServerSpan)
        const nodeHandler = (yield* HotReads).before(ordinary)
        const services = yield* Effect.context<never>().pipe(RequestSpan.withoutServerSpan)
        const web = HttpEffect.toWebHandler(
          Effect.flatMap(ClientAddress, (remoteAddress) =>
            Effect.updateService(app, HttpServerRequest.HttpServerRequest, (request) =>
              request.modify({ remoteAddress })
            )
          )
        )
        return Quarterdeck.of({
          app,
          nodeHandler,
          endStreams: (yield* Streams).endAll,
          webHandler: (request, facts = {}) =>
            web(
              request,
              Context.add(services, ClientAddress, Option.fromUndefinedOr(facts.clientAddress)).pipe(
                Context.add(MountPath.Stated, Option.fromUndefinedOr(facts.mountPath))
              )
            )
        })
      })
    ).pipe(Layer.provide([Services.layer(settings, ports), NodeHttpServer.layerHttpServices]))

  /**
   * Starts the service in an Effect application. It uses the application's loggers and tracer, so there are no telemetry
   * options.
   *
   * **Errors** those of `layerSettings`, and `SettingsError` for invalid options.
   */
  static readonly layer = (options: Omit<Options.Options, "telemetry"> = {}) =>
    Layer.unwrap(
      Effect.map(Effect.fromResult(Options.decode(options)), ({ ports, settings }) =>
        Quarterdeck.layerSettings(settings, ports)
      )
    )

  /**
   * Starts the service for a host outside Effect, with its own loggers and exporters.
   *
   * **Errors** rejects with the errors of {@link Quarterdeck.layer}.
   */
  static readonly start = async (options: Options.Options = {}): Promise<Embedded> => {
    const runtime = ManagedRuntime.make(
      Layer.unwrap(
        Effect.map(Effect.fromResult(Options.decode(options)), ({ ports, settings }) =>
          Quarterdeck.layerSettings(settings, ports).pipe(Layer.provideMerge(Telemetry.layer(settings.telemetry)))
        )
      )
    )
    const dispose = () => runtime.dispose()
    try {
      const { nodeHandler, webHandler } = await runtime.runPromise(Quarterdeck)
      return { nodeHandler, webHandler, dispose, [Symbol.asyncDispose]: dispose }
    } catch (error) {
      await dispose()
      throw error
    }
  }

  /**
   * Mounts the service in an Effect application's router.
   *
   * **Example** `HttpRouter.serve(Layer.merge(own, Quarterdeck.mount("/quarterdeck")))`
   */
  static readonly mount = (prefix: `/${string}`): Layer.Layer<never, never, HttpRouter.HttpRouter | Quarterdeck> =>
    HttpRouter.use(
      Effect.fnUntraced(function* (router) {
        const { app } = yield* Quarterdeck
        yield* router.prefixed(prefix).add("*", "/*", app)
      })
    )
}
