import { useInterval } from "@mantine/hooks"
import { useState } from "react"

/** Returns the current time, and rerenders its caller at an interval. **Units** milliseconds since the epoch; milliseconds. */
export const useNow = (everyMs: number): number => {
  const [nowMs, setNowMs] = useState(() => new Date().getTime())
  useInterval(() => setNowMs(new Date().getTime()), everyMs, { autoInvoke: true })
  return nowMs
}
