import { failsOnce } from "./Flaky.ts"

failsOnce("three")
