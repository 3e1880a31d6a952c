import { failsOnce } from "./Flaky.ts"

failsOnce("one")
