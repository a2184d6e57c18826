import type { BeingName, JsonObject } from '@treeos/core'
import { type ConcreteEntry, covers, type Registry, type Surface } from '@treeos/world'
import { type SeeConnection, withSnapshot } from './being-snapshot.ts'

/** An operation in reach, with what a form of it needs. */
export interface OperationChoice {
  readonly name: string
  readonly description: string
  /** what it is done to: being, space, matter, thread or reality */
  readonly targets: readonly string[]
  /** what each argument takes, by name */
  readonly args: Readonly<Record<string, string>>
  /** JSON Schema of its arguments; null where there is none */
  readonly schema: JsonObject | null
}

/** What a being may reach for now. The rules of the target's space still decide each call. */
export interface ReachView {
  readonly role: string
  readonly stacked: readonly string[]
  readonly space: string
  readonly surface: Surface
  /** operations of DO and of BE that its lists hold, by name */
  readonly actions: readonly OperationChoice[]
  readonly identity: readonly OperationChoice[]
}

/**
 * What a being may choose from now, for forms.
 * @throws {TreeosError} as `describeSelf`
 */
export const reach = (at: SeeConnection, as: BeingName): Promise<ReachView> =>
  withSnapshot(at, as, async ({ me, role, stacked, surface }) => ({
    role,
    stacked,
    space: me.space,
    surface,
    actions: choicesOf(surface.canDo, at.registry.operations),
    identity: choicesOf(surface.canBe, at.registry.beOperations),
  }))

const choicesOf = (
  entries: readonly ConcreteEntry[],
  operations: Registry['operations'],
): OperationChoice[] =>
  [...operations.values()]
    .filter(({ name }) => covers(entries, name) !== undefined)
    .map(({ name, description, targets, args, schema }) => ({
      name,
      description,
      targets,
      args,
      schema: schema ?? null,
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
