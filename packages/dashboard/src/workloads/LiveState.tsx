/**
 * State of a live list, with buttons to pause it and to show new rows.
 */
import { Button, Text } from "@mantine/core"
import type { Coverage } from "../api/Shapes.ts"
import { liveFor } from "../clusterScope/CoverageText.ts"
import * as Quantity from "../format/Quantity.ts"

/**
 * State of a live list.
 *
 * **Shape** `large`, `busy` and `connecting` lists are refetched every few seconds. `paused` lists do not change.
 */
export type LiveWord = "live" | "connecting" | "busy" | "large" | "paused"

const WORDS: Readonly<Record<LiveWord, string>> = {
  live: "Live",
  connecting: "Connecting; updated every 5 s until then",
  busy: "Updated every 5 s: the server has reached its limit of live lists",
  large: "Updated every 5 s: filter the list to see it live",
  paused: "Paused"
}

interface Props {
  readonly word: LiveWord
  readonly coverages: ReadonlyArray<Coverage>
  /** Number of workloads created since the list was read. */
  readonly added: number
  readonly onPause: (isPaused: boolean) => void
  readonly onShow: () => void
}

export const LiveState = ({ added, coverages, onPause, onShow, word }: Props) => {
  const part = word === "live" ? liveFor(coverages) : undefined
  return (
    <>
      <Text size="sm" c="dimmed" role="status" data-live={word}>
        <span
          className={`qd-dot qd-dot-${word !== "live" ? "gray" : part === undefined ? "teal" : "yellow"}`}
          aria-hidden="true"
        />{" "}
        {WORDS[word]}
        {part === undefined ? "" : ` for ${part}`}
      </Text>
      <Button size="compact-sm" variant="default" onClick={() => onPause(word !== "paused")}>
        {word === "paused" ? "Resume updates" : "Pause updates"}
      </Button>
      {added === 0 ? undefined : (
        <Button size="compact-sm" onClick={onShow}>
          Show {Quantity.counted(added, "new workload")}
        </Button>
      )}
    </>
  )
}
