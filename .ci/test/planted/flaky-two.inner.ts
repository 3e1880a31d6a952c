import { failsOnce } from "./Flaky.ts"

failsOnce("two")
