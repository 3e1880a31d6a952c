import { DatabaseSync } from "node:sqlite"
import { Redacted } from "effect"
import { mkdirSync } from "node:fs"
import { Inventory } from "./Inventory.ts"
import { Meter } from "./Meter.ts"
import { start } from "./platform.ts"

mkdirSync("platform", { recursive: true, mode: 0o700 })
const database = new DatabaseSync("platform/platform.sqlite")
const inventory = new Inventory("hub", {
  server: "https://hub.example:6443",
  certificateAuthority: { _tag: "File", path: "./hub-ca.pem" },
  insecureSkipTlsVerify: false,
  credential: { _tag: "Token", token: Redacted.make(process.env["HUB_TOKEN"] ?? "") }
})
const { app, dispose } = await start({
  database,
  inventory,
  meter: new Meter(),
  // Replace it by a call of the platform's billing. The example prints the calls.
  bill: ({ cluster, startMs }) => console.log(`bill ${cluster} for ${new Date(startMs).toISOString()}`),
  directory: "platform"
})
const server = app.listen(8080)
process.once("SIGTERM", () => {
  server.close(() => void dispose().then(() => database.close()))
  server.closeIdleConnections()
})
