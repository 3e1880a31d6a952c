/**
 * `quarterdeck cost`: cost reports, and commands for the cost history.
 */
import { Command } from "effect/cli"
import { costBackfillCommand } from "./CostBackfillCommand.ts"
import { costByCommand } from "./CostByCommand.ts"
import { costCheckCommand, costRepairCommand } from "./CostCheckCommand.ts"
import { costExplainCommand } from "./CostExplainCommand.ts"
import { costExportCommand, costImportCommand } from "./CostTransferCommand.ts"
import { report, reportFlags } from "./CostReportCommand.ts"

export const costCommand = Command.make("cost", reportFlags, report).pipe(
  Command.withDescription("Report the costs of workloads in one, several or all clusters, the most expensive first."),
  Command.withShortDescription("Report the costs of workloads"),
  Command.withSubcommands([
    costByCommand,
    costExplainCommand,
    costBackfillCommand,
    costCheckCommand,
    costRepairCommand,
    costExportCommand,
    costImportCommand
  ]),
  Command.withExamples([
    { command: "quarterdeck cost", description: "The parent cluster, last 7 days" },
    { command: "quarterdeck cost --cluster '*' --range 30d --namespace shop --type Deployment --limit 20" },
    { command: "quarterdeck cost --cluster '*' --from 2026-03-01 --to 2026-04-01 -o csv > march.csv" },
    { command: "quarterdeck cost by namespace --cluster '*'", description: "Sums instead of workloads" },
    {
      command: "quarterdeck cost explain prod/shop/Deployment/api",
      description: "Quantities and prices behind the cost of one workload"
    }
  ])
)
