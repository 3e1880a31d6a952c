/** The command lines of a control plane. */
import type { ControlPlanePaths } from "./ControlPlaneFiles.ts"

/**
 * The sockets between etcd and its API server, in the cluster's private directory, which is where both run. No other
 * user can reach the store, and no port can be taken. The shape `name:number` is what etcd asks of an address.
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
  // The data need to survive the process, not the machine.
  "--unsafe-no-fsync",
  // One member elects itself; the default makes it wait for others for a second. Every beat costs processor time for as long
  // as the cluster is there: 2 % of one for beats every 10 ms, 0.7 % for these, which have a start take 0.2 s longer.
  "--heartbeat-interval=50",
  "--election-timeout=250",
  "--logger=zap",
  "--log-level=error"
]

/** Who signs the tokens of service accounts, as the tokens say it. */
export const issuerOf = (port: number): string => `https://127.0.0.1:${port}/`

/** Tokens are signed as the first issuer, and those of all of them are taken. */
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
  // Without the controller manager nobody makes the service account that this plugin would ask of every pod.
  "--disable-admission-plugins=ServiceAccount"
]

/**
 * A lazier garbage collector: most of what a server allocates while it starts is garbage soon, so three start a sixth
 * sooner, each with 100 MB more. The limit holds it back where many objects live. Whoever sets these variables has their own.
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
