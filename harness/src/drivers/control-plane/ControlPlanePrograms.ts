/** Command lines of a control plane's programs. */
import type { ControlPlanePaths } from "./ControlPlaneFiles.ts"

/**
 * Unix sockets between etcd and the API server, relative to the cluster's private directory, in which both run. Other
 * users cannot reach the store, and the store needs no port. etcd requires the form `name:number`.
 */
const CLIENT_SOCKET = "client:1"
const PEER_SOCKET = "peer:1"

export const clientSocket = (paths: ControlPlanePaths): string => `${paths.directory}/${CLIENT_SOCKET}`

export const etcd = (paths: ControlPlanePaths): ReadonlyArray<string> => [
  `--data-dir=${paths.data}`,
  `--listen-client-urls=unix://${CLIENT_SOCKET}`,
  `--advertise-client-urls=unix://${CLIENT_SOCKET}`,
  `--listen-peer-urls=unix://${PEER_SOCKET}`,
  `--initial-advertise-peer-urls=unix://${PEER_SOCKET}`,
  `--initial-cluster=default=unix://${PEER_SOCKET}`,
  // The data must survive a crash of the process, but not of the machine.
  "--unsafe-no-fsync",
  // A single member elects itself; with the default timeout it first waits a second for others. Shorter heartbeats
  // would cost processor time as long as the cluster runs.
  "--heartbeat-interval=50",
  "--election-timeout=250",
  "--logger=zap",
  "--log-level=error"
]

/** Returns the issuer of service account tokens, as it appears in the tokens. */
export const issuerOf = (port: number): string => `https://127.0.0.1:${port}/`

/**
 * Returns the arguments of the API server. It signs tokens with the first issuer, and accepts tokens of all issuers.
 */
export const apiServer = (
  paths: ControlPlanePaths,
  port: number,
  issuers: ReadonlyArray<string>
): ReadonlyArray<string> => [
  `--etcd-servers=unix://${CLIENT_SOCKET}`,
  `--cert-dir=${paths.pki}`,
  "--bind-address=127.0.0.1",
  "--advertise-address=127.0.0.1",
  `--secure-port=${port}`,
  `--token-auth-file=${paths.tokens}`,
  "--authorization-mode=RBAC",
  "--service-cluster-ip-range=10.0.0.0/24",
  "--allow-privileged=true",
  ...issuers.map((issuer) => `--service-account-issuer=${issuer}`),
  `--service-account-key-file=${paths.serviceAccountPublicKey}`,
  `--service-account-signing-key-file=${paths.serviceAccountKey}`,
  // Without the controller manager nothing creates the service accounts that this plugin requires for pods.
  "--disable-admission-plugins=ServiceAccount"
]

/**
 * Environment variables of the API server. Less frequent garbage collection makes the server start a sixth faster, for
 * 100 MB more memory. Near the memory limit the server collects more often. Variables of this process take precedence.
 */
export const API_SERVER_VARIABLES = { GOGC: "400", GOMEMLIMIT: "1GiB" } as const

export const controllerManager = (paths: ControlPlanePaths): ReadonlyArray<string> => [
  `--kubeconfig=${paths.controllersKubeconfig}`,
  `--service-account-private-key-file=${paths.serviceAccountKey}`,
  "--leader-elect=false",
  "--secure-port=0",
  // The defaults make the first reconciliation of a new cluster wait for seconds.
  "--kube-api-qps=500",
  "--kube-api-burst=1000"
]

export const scheduler = (paths: ControlPlanePaths): ReadonlyArray<string> => [
  `--kubeconfig=${paths.controllersKubeconfig}`,
  "--leader-elect=false",
  "--secure-port=0"
]
