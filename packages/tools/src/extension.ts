import { asJson, isJsonObject, type Json, type JsonObject, TreeosError } from '@treeos/core'
import { defineExtension, defineOperation, type EffectAt, type KeepBrought, recordFact } from '@treeos/sdk'
import type { Extension, Operation } from '@treeos/world'
import { requireAccepted } from './acceptance.ts'
import { argsOfCheck, readCheck } from './check.ts'
import { digestOfTool, digestsOf, type ToolDefinition } from './definition.ts'
import { type CheckRule, readsOf, type ServerEntries, type ServerEntry, secretsFor } from './file.ts'
import { argumentsBy } from './schema.ts'
import { shownText } from './shown-text.ts'

/** A call of a tool that both gates allowed. */
export interface ToolCall {
  readonly tool: string
  /** of the declaration that was accepted */
  readonly digest: string
  readonly args: JsonObject
  /** the same in every attempt of one act; the server gets it as `treeos/key` of `_meta` */
  readonly key: string
  /** values by name */
  readonly secrets: Readonly<Record<string, string>>
  readonly signal: AbortSignal
  /** keeps the files that the answer brings */
  readonly keep: KeepBrought
}

/** Calls a tool of a server by its name. */
export type CallTool = (server: string, call: ToolCall) => Promise<JsonObject>

/** What a process does that only lists operations, and calls none. */
const noServers: CallTool = async (server) => {
  throw new Error(`the server ${server} belongs to workers: this process calls none`)
}

/** One extension for each server, with an operation `<server>:<tool>` for each tool that was accepted. */
export const toolExtensions = (servers: ServerEntries, call: CallTool = noServers): Extension[] =>
  byName(servers).map(([name, entry]) =>
    defineExtension({
      name,
      version: '1.0.0',
      settings: settingsOf(entry),
      operations: byName(entry.tools).map(([tool, definition]) =>
        operationOf({ server: name, tool }, definition, entry, call),
      ),
    }),
  )

/** What calls and faces depend on. How a server is reached and how long it may take is not part of it. */
const settingsOf = (entry: ServerEntry): JsonObject => ({
  tools: digestsOf(entry.tools),
  secrets: secretsFor(entry),
  ...(entry.ask === undefined ? {} : { ask: asJson(entry.ask) }),
  ...(entry.reads.length === 0 ? {} : { reads: [...entry.reads].sort() }),
})

/** In the order of the names, so that nothing depends on the order in the file. */
const byName = <T>(entries: Readonly<Record<string, T>>): [string, T][] =>
  Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1))

/** How long a call waits for a server that starts, before anything is called. */
export const START_SECONDS = 30

/** A call whose answer was lost is made again only where the tool says that this changes nothing more. */
const ATTEMPTS = 3

function operationOf(
  { server, tool }: { readonly server: string; readonly tool: string },
  definition: ToolDefinition,
  entry: ServerEntry,
  call: CallTool,
): Operation<`${string}:${string}`> {
  const digest = digestOfTool(tool, definition)
  const secrets = secretsFor(entry)
  const isRead = readsOf(entry).includes(tool)
  const operation = defineOperation({
    name: `${server}:${tool}`,
    description: shownText(definition.description) || 'The server says nothing of it.',
    on: 'being',
    allow: ['self'],
    ...(entry.ask === undefined || isRead ? {} : { ask: entry.ask }),
    args: argumentsBy(definition.schema),
    about: undescribed(definition.schema),
    effect: {
      timeoutSeconds: Math.ceil(entry.timeoutSeconds) + START_SECONDS + 5,
      attempts: definition.hints.length > 0 ? ATTEMPTS : 1,
      secrets,
      perform: (at) => call(server, { tool, digest, ...at }),
      ...checkBy(server, entry, entry.checks[tool], call),
    },
    decide: ({ actor, effect }) => ({
      facts: [
        recordFact(actor, `${server}:called`, {
          tool,
          declared: digest,
          ...(secrets.length === 0 ? {} : { secrets }),
        }),
      ],
      result: effect as Json,
    }),
  })
  const { effect } = operation
  if (effect === undefined) throw new TreeosError('INTERNAL', `${operation.name} has no effect`)
  return {
    ...operation,
    server,
    ...(isRead ? { reads: true as const } : {}),
    args: Object.fromEntries(Object.entries(operation.args).map(([name, takes]) => [name, shownText(takes)])),
    effect: {
      ...effect,
      async admit(args, world) {
        await requireAccepted({ server, tool, digest }, world)
        await effect.admit(args, world)
      },
    },
  }
}

/** Words for the arguments of which the server says nothing. */
function undescribed({ properties }: JsonObject): Record<string, string> {
  if (!isJsonObject(properties)) return {}
  const isTold = (property: Json) =>
    isJsonObject(property) && typeof property.description === 'string' && property.description.trim() !== ''
  const silent = Object.entries(properties).filter(
    ([, property]) => property !== undefined && !isTold(property),
  )
  return Object.fromEntries(silent.map(([name]) => [name, 'its server does not say what']))
}

/** A check by another tool of the same server, which must be accepted like any other. */
function checkBy(server: string, { tools }: ServerEntry, rule: CheckRule | undefined, call: CallTool) {
  const asked = rule === undefined ? undefined : tools[rule.tool]
  if (rule === undefined || asked === undefined) return {}
  const digest = digestOfTool(rule.tool, asked)
  return {
    async check({ args, key, signal, secrets, keep }: EffectAt<JsonObject>) {
      const lost = { args, key }
      const answer = await call(server, {
        tool: rule.tool,
        digest,
        args: argsOfCheck(rule, lost),
        key,
        signal,
        secrets,
        keep,
      })
      return readCheck(rule, answer, lost)
    },
  }
}
