/**
 * Makes pages of workloads and pods in one step, for callers who were let in a moment ago, where no cluster has to be
 * waited for.
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
import type { RecentCaller } from "./RecentCallers.ts"
import * as HotQuery from "./HotQuery.ts"
import type { HotRequest } from "./HotRequest.ts"

/** A page as the ordinary way would have replied, and what it would have noted. */
export interface HotPage {
  readonly list: HttpServerResponse.HttpServerResponse
  readonly record: RequestRecord
}

export interface HotPages {
  /**
   * Makes what the ordinary way would reply to a caller of a known request; undefined where it would wait, refuse, or take
   * long: then that way is to be taken.
   */
  readonly make: (asked: HotRequest, request: IncomingMessage, caller: RecentCaller) => HotPage | undefined
  /** Forgets the queries that were read. */
  readonly forget: () => void
}

/** Asks for one kind of list. Undefined where the ordinary way is to be taken. */
type Listing = (url: string, caller: ListQuestion.AdmittedCaller) => Listed | undefined

/** A list, and the namespaces that were asked for by name. */
interface Listed {
  readonly list: HttpServerResponse.HttpServerResponse
  readonly namespaces: ReadonlyArray<string> | undefined
}

/** What is judged of every query beside its schema. */
interface ListParameters {
  readonly labelSelector?: string
  readonly timeoutMs?: number
}

export const make = Effect.gen(function* () {
  const services = yield* Effect.context<never>()
  const registry = yield* ClusterRegistry
  const options = yield* ResolvedRequest.TargetOptions
  const { forget, listings } = yield* makeListings

  /** Resolves the target of a request, whose cluster header is the one that its caller was let in with. */
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
  /** Makes what reads a question out of an address: undefined for one that is refused. */
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
