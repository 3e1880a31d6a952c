import { borrows } from "./Borrows.ts"

borrows()
