/** Decides between protobuf and JSON: what to ask for, and how to read what came. */
import { Result } from "effect"
import * as jsonLines from "./JsonLines.ts"
import type { Resource } from "./KubeObject.ts"
import { parseJson, toEvent, type WireEvent } from "./KubeObjectJson.ts"
import { readEvent, readPage } from "./KubeObjectProtobuf.ts"
import * as KubeShapes from "./KubeShapes.ts"
import * as listItems from "./ListItems.ts"
import * as watchFrames from "./WatchFrames.ts"

/** How answers of one form are read. */
export interface WireForm {
  readonly readPage: (body: Buffer) => listItems.ListItems
  /** Makes what splits a watch into events. */
  readonly split: (limitBytes: number) => jsonLines.JsonLines
  readonly readEvent: (event: Buffer) => Result.Result<WireEvent | undefined, string>
}

const PROTOBUF = "application/vnd.kubernetes.protobuf"

/** Names the forms that can be read, the cheapest first. **Shape** nothing where that is JSON alone. */
export const accept = (resource: Resource): string | undefined =>
  KubeShapes.find(resource) === undefined ? undefined : `${PROTOBUF},application/json`

const json: WireForm = {
  readPage: listItems.read,
  split: jsonLines.make,
  readEvent: (line) => Result.flatMap(parseJson(line), toEvent)
}

/** Gives the form of an answer, which is the server's choice. **Shape** JSON unless it says protobuf. */
export const of = (contentType: string, resource: Resource): WireForm => {
  const shape = KubeShapes.find(resource)
  if (shape === undefined || contentType.split(";", 1)[0]?.trim().toLowerCase() !== PROTOBUF) return json
  return {
    readPage: (body) => readPage(body, resource, shape),
    split: watchFrames.make,
    readEvent: (frame) => readEvent(frame, resource, shape)
  }
}
