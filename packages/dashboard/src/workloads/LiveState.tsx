/**
 * Says whether a list follows what happens, and lets its reader stop it and show what is new.
 */
import { Button, Text } from "@mantine/core"
import * as Quantity from "../format/Quantity.ts"

/**
 * How a list is kept fresh.
 *
 * **Shape** `large` and `busy` are read every few seconds, `connecting` until it is live; `paused` stays as it is.
 */
export type LiveWord = "live" | "connecting" | "busy" | "large" | "paused"

const WORDS: Readonly<Record<LiveWord, string>> = {
  live: "Live",
  connecting: "Connecting; read every 5 s meanwhile",
  busy: "Read every 5 s: the server follows as many lists as it may",
  large: "Read every 5 s: narrow the list to follow it live",
  paused: "Paused"
}

interface Props {
  readonly word: LiveWord
  /** Workloads that came since the list was read, and are not in it. */
  readonly added: number
  readonly onPause: (isPaused: boolean) => void
  readonly onShow: () => void
}

export const LiveState = ({ added, onPause, onShow, word }: Props) => (
  <>
    <Text size="sm" c="dimmed" role="status" data-live={word}>
      <span className={`qd-dot qd-dot-${word === "live" ? "teal" : "gray"}`} aria-hidden="true" /> {WORDS[word]}
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
