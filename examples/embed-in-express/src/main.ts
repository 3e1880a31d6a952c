/** Quarterdeck below a path prefix of an Express application. */
import { Quarterdeck } from "@quarterdeck/http-server"
import express from "express"

const quarterdeck = await Quarterdeck.start({
  clusters: { kubeconfig: ["./kubeconfig.yaml"], parent: "hub" },
  keys: { file: "./keys.yaml" }
})
const app = express()
app.use("/quarterdeck", quarterdeck.nodeHandler)
app.listen(8080)
