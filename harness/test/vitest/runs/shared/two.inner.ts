import { seesTheFleet } from "./Sees.ts"

seesTheFleet("two")
