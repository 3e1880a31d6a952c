import { failsOnce } from "./Flaky.ts"

failsOnce("four")
