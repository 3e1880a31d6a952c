/**
 * Makes pages of workloads and pods synchronously, for recently authenticated callers, if all data is cached.
 */
import { LabelSelector } from "@quarterdeck/cluster-fanout"
import { ClusterRegistry } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import { Pods } from "@quarterdeck/cluster-fanout/Pods"
import { Workloads } from "@quarterdeck/cluster-fanout/Workloads"
import { podParameters } from "@quarterdeck/contract/PodsGroup"
import { workloadParameters } from "@quarterdeck/contract/WorkloadsGroup"
import type { Principal } from "@quarterdeck/keys/Principal"
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import { Effect, Exit, Result, Schema } from "effect"
import type { HttpServerResponse } from "effect/http"
import type { IncomingMessage } from "node:http"
import * as ListPage from "../lists/ListPage.ts"
import * as ListQuestion from "../lists/ListQuestion.ts"
import * as ListReply from "../lists/ListReply.ts"
import type { RequestRecord } from "../request/RequestRecord.ts"
import * as ResolvedRequest from "../guard/ResolvedRequest.ts"
import * as TargetResolution from "../guard/TargetResolution.ts"
import { Texts } from "../lists/RowTexts.ts"
import type { RecentCaller } from "./ReplyCache.ts"
import * as HotQuery from "./HotQuery.ts"
import type { HotRequest } from "./HotRequest.ts"

/** The reply that the normal path would have made, and its record. */
export interface HotPage {
  readonly list: HttpServerResponse.HttpServerResponse
  readonly record: RequestRecord
}

export interface HotPages {
  /**
   * Makes the reply of a list request for a known caller. Undefined if the normal path would wait, refuse or take long;
   * the request then takes the normal path.
   */
  readonly make: (asked: HotRequest, request: IncomingMessage, caller: RecentCaller) => HotPage | undefined
  /** Clears the cache of decoded queries. */
  readonly forget: () => void
}

/** Makes a list of one kind. Undefined if the request must take the normal path. */
type Listing = (url: string, caller: ListQuestion.AdmittedCaller) => Listed | undefined

/** A list, and the namespaces that the query names. */
interface Listed {
  readonly list: HttpServerResponse.HttpServerResponse
  readonly namespaces: ReadonlyArray<string> | undefined
}

/** Query parameters that are checked in addition to the schema. */
interface ListParameters {
  readonly labelSelector?: string
  readonly timeoutMs?: number
}

export const make = Effect.gen(function* () {
  const services = yield* Effect.context<never>()
  const registry = yield* ClusterRegistry
  const options = yield* ResolvedRequest.TargetOptions
  const { forget, listings } = yield* makeListings

  /** Resolves the target of a request by its cluster header. Undefined if the target is invalid. */
  const targetOf = (request: IncomingMessage, { rule }: Principal["Service"]) => {
    const snapshot = Effect.runSyncExitWith(services)(registry.snapshot)
    if (Exit.isFailure(snapshot)) return undefined
    const header = request.headersDistinct[options.header.toLowerCase()] ?? []
    const named = ResolvedRequest.ask(ClusterName.is, { header }, options)
    const { asked, target } = ResolvedRequest.resolve(named, rule, snapshot.value)
    return asked === undefined || Result.isFailure(target) ? undefined : { asked, target: target.success }
  }

  const pages: HotPages = {
    forget,
    make: ({ path, url }, request, { record, user }) => {
      const listing = listings.get(path)
      const found = listing === undefined ? undefined : targetOf(request, user)
      if (listing === undefined || found === undefined) return undefined
      const page = listing(url, { principal: user, target: found.target })
      if (page === undefined) return undefined
      const { list, namespaces } = page
      const target = {
        asked: TargetResolution.textOf(found.asked),
        clusters: found.target.clusters,
        ...(namespaces === undefined ? {} : { namespaces })
      }
      return { list, record: { ...record, target } }
    }
  }
  return pages
})

const makeListings = Effect.gen(function* () {
  const workloads = yield* Workloads
  const pods = yield* Pods
  const texts = yield* Texts
  const { maxTimeoutMs, timeoutMs } = yield* ListPage.Deadlines
  /** Makes the function that reads query and selector from a URL. It returns undefined if they are invalid. */
  const readerOf = <Query extends ListParameters>(parameters: Schema.Decoder<Query>) => {
    const { forget, read } = HotQuery.reader(parameters)
    const question = (url: string) => {
      const query = read(url)
      if (query === undefined || (query.timeoutMs ?? 0) > maxTimeoutMs) return undefined
      const selector = LabelSelector.parse(query.labelSelector ?? "")
      return Result.isFailure(selector) ? undefined : { query, selector: selector.success }
    }
    return { forget, question }
  }
  const ofWorkloads = readerOf(Schema.Struct(workloadParameters))
  const ofPods = readerOf(Schema.Struct(podParameters))

  const listWorkloads: Listing = (url, caller) => {
    const asked = ofWorkloads.question(url)
    if (asked === undefined) return undefined
    const { query, selector } = asked
    const page = ListPage.pageOf(query, "name", timeoutMs)
    const listed = workloads.listNow(ListQuestion.ofWorkloads(query, selector, page, caller))
    if (listed === undefined) return undefined
    const { items, ...envelope } = listed
    return { list: ListReply.made("workloads", { workloads: items, ...envelope }, texts), namespaces: query.namespace }
  }
  const listPods: Listing = (url, caller) => {
    const asked = ofPods.question(url)
    if (asked === undefined) return undefined
    const { query, selector } = asked
    const page = ListPage.pageOf(query, "name", timeoutMs)
    const listed = pods.listNow(ListQuestion.ofPods(query, selector, page, caller))
    if (listed === undefined) return undefined
    const { items, ...envelope } = listed
    return { list: ListReply.made("pods", { pods: items, ...envelope }, texts), namespaces: query.namespace }
  }

  const listings = new Map<string, Listing>([
    ["/api/v1/workloads", listWorkloads],
    ["/api/v1/pods", listPods]
  ])
  const forget = () => {
    ofWorkloads.forget()
    ofPods.forget()
  }
  return { forget, listings }
})
