/** Chooses between protobuf and JSON: which to request, and how to parse the answer. */
import { Result } from "effect"
import * as jsonLines from "./JsonLines.ts"
import type { Resource } from "./KubeObject.ts"
import { parseJson, toEvent, type WireEvent } from "./KubeObjectJson.ts"
import { readEvent, readPage } from "./KubeObjectProtobuf.ts"
import * as KubeShapes from "./KubeShapes.ts"
import * as listItems from "./ListItems.ts"
import * as watchFrames from "./WatchFrames.ts"

/** Parsers of one wire format. */
export interface WireForm {
  readonly readPage: (body: Buffer) => listItems.ListItems
  /** Makes the splitter of a watch's byte stream. */
  readonly split: (limitBytes: number) => jsonLines.JsonLines
  readonly readEvent: (event: Buffer) => Result.Result<WireEvent | undefined, string>
}

const PROTOBUF = "application/vnd.kubernetes.protobuf"

/** Returns the supported content types, cheapest first. **Shape** `undefined` for JSON only. */
export const accept = (resource: Resource): string | undefined =>
  KubeShapes.find(resource) === undefined ? undefined : `${PROTOBUF},application/json`

const json: WireForm = {
  readPage: listItems.read,
  split: jsonLines.make,
  readEvent: (line) => Result.flatMap(parseJson(line), toEvent)
}

/** Returns the format of an answer by its content type. **Shape** JSON unless the content type is protobuf. */
export const of = (contentType: string, resource: Resource): WireForm => {
  const shape = KubeShapes.find(resource)
  if (shape === undefined || contentType.split(";", 1)[0]?.trim().toLowerCase() !== PROTOBUF) return json
  return {
    readPage: (body) => readPage(body, resource, shape),
    split: watchFrames.make,
    readEvent: (frame) => readEvent(frame, resource, shape)
  }
}
