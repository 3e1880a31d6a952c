/**
 * The present, for what is shown to grow older while nothing is read.
 */
import { useInterval } from "@mantine/hooks"
import { useState } from "react"

const SECOND_MS = 1_000

/** Gives the present in milliseconds since the epoch, and renders its caller anew each second. */
export const useNow = (): number => {
  const [nowMs, setNowMs] = useState(() => new Date().getTime())
  useInterval(() => setNowMs(new Date().getTime()), SECOND_MS, { autoInvoke: true })
  return nowMs
}
