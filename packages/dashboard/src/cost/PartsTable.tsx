/**
 * Table of the parts of a cost.
 */
import { Table } from "@mantine/core"
import type { CostTotals } from "../api/CostQueries.ts"
import { ScrollTable } from "../feedback/ScrollTable.tsx"
import * as Quantity from "../format/Quantity.ts"

type PartsCost = Pick<
  CostTotals,
  "cpuCost" | "gpuCost" | "loadBalancerCost" | "memoryCost" | "networkCost" | "storageCost" | "totalCost"
>

/** Quantity of a part, and the mean price of a unit. */
export interface PartQuantity {
  readonly quantity: string
  readonly price: string
}

const PARTS = [
  ["cpuCost", "CPU"],
  ["memoryCost", "Memory"],
  ["gpuCost", "GPU"],
  ["storageCost", "Storage"],
  ["networkCost", "Network"],
  ["loadBalancerCost", "Load balancers"]
] as const

export type Part = (typeof PARTS)[number][0]

interface Props {
  readonly costs: PartsCost
  readonly currency: string
  readonly quantities?: Partial<Readonly<Record<Part, PartQuantity>>>
}

export const PartsTable = ({ costs, currency, quantities }: Props) => (
  <ScrollTable minWidth={quantities === undefined ? 0 : 420} label="Parts of the cost">
    <Table aria-label="Parts of the cost" verticalSpacing={4}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Part</Table.Th>
          {quantities === undefined ? undefined : (
            <>
              <Table.Th scope="col" ta="right">
                Quantity
              </Table.Th>
              <Table.Th scope="col" ta="right">
                Mean price
              </Table.Th>
            </>
          )}
          <Table.Th scope="col" ta="right">
            Cost
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {PARTS.filter(([field]) => costs[field] !== 0).map(([field, name]) => (
          <Table.Tr key={field}>
            <Table.Td>{name}</Table.Td>
            {quantities === undefined ? undefined : (
              <>
                <Table.Td ta="right" className="qd-number">
                  {quantities[field]?.quantity ?? Quantity.UNKNOWN}
                </Table.Td>
                <Table.Td ta="right" className="qd-number">
                  {quantities[field]?.price ?? Quantity.UNKNOWN}
                </Table.Td>
              </>
            )}
            <Table.Td ta="right" className="qd-number">
              {Quantity.money(costs[field], currency)}
            </Table.Td>
          </Table.Tr>
        ))}
        <Table.Tr>
          <Table.Th scope="row">Total</Table.Th>
          {quantities === undefined ? undefined : <Table.Td colSpan={2} />}
          <Table.Td ta="right" className="qd-number" fw={600}>
            {Quantity.money(costs.totalCost, currency)}
          </Table.Td>
        </Table.Tr>
      </Table.Tbody>
    </Table>
  </ScrollTable>
)
