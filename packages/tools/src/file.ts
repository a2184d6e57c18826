import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { isKey, type Json, type JsonObject, quote, TreeosError, textOfBytes } from '@treeos/core'
import type { AskInput } from '@treeos/sdk'
import { faultOfAsk } from '@treeos/world'
import { z } from 'zod'
import { HINTS } from './definition.ts'

const TIMEOUT_SECONDS = 60
const TIMEOUT_SECONDS_MAX = 3000

const json = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'it takes an object',
)
const key = z.string().refine(isKey, 'it takes a kebab-case name')
const definition = z.strictObject({
  description: z.string(),
  schema: json,
  hints: z.array(z.enum(HINTS)).readonly(),
})

/** How a tool is asked what became of a call whose answer was lost: by another tool of its server. */
const check = z.strictObject({
  /** it must change nothing */
  tool: z.string(),
  /** its arguments; `$name` is the argument `name` of the lost call, and `$$key` is the key of the act */
  args: json.default({}),
  /** the call happened if the answer holds this text, which may be `$name` or `$$key` */
  happened: z.string().min(1),
  /**
   * it did not happen if the answer holds this; left out: if it does not hold the other, and is not an error
   */
  didNotHappen: z.string().min(1).optional(),
})
export type CheckRule = z.output<typeof check>

/** OAuth without a person: the client credentials of RFC 6749. */
const oauth = z.strictObject({
  clientId: z.string().min(1),
  /** name of the secret that holds the client's secret */
  secret: key,
  /** the authorization server that may get it, and no other */
  issuer: z.url({ protocol: /^https?$/ }),
  scope: z.string().optional(),
})

const entry = z
  .strictObject({
    /** program and arguments of a server that speaks on its standard input and output */
    command: z.array(z.string()).min(1).optional(),
    /** address of a server that speaks streamable HTTP */
    url: z.url({ protocol: /^https?$/ }).optional(),
    /** by name, the variable of its environment or the header of its requests in which it gets a secret */
    secrets: z.record(key, z.string().min(1)).default({}),
    /** how it gets a token, instead of a header; only with a url */
    oauth: oauth.optional(),
    /** a call that neither answers nor reports progress for so long is over */
    silenceSeconds: z.number().positive().max(TIMEOUT_SECONDS_MAX).default(TIMEOUT_SECONDS),
    /** longest time of a call that reports progress */
    timeoutSeconds: z.number().int().min(1).max(TIMEOUT_SECONDS_MAX).default(TIMEOUT_SECONDS),
    /**
     * whom to ask before a call, in the form of a rule of a space. Tools that say that they only read are not
     * asked about
     */
    ask: z
      .custom<AskInput>()
      .superRefine((value, at) => {
        const fault = faultOfAsk(value as unknown as Json)
        if (fault !== null) at.addIssue(fault.message)
      })
      .optional(),
    /** tools that a person declared to only read, although the server does not say so */
    reads: z.array(z.string()).readonly().default([]),
    /** by the name of a tool, how to find out what became of a lost call of it */
    checks: z.record(z.string(), check).default({}),
    /** its tools, as they were accepted last */
    tools: z.record(z.string(), definition).readonly().default({}),
  })
  .refine(({ command, url }) => (command === undefined) !== (url === undefined), {
    message: 'it takes a command or a url, and not both',
  })
  .refine(({ url, oauth: by }) => by === undefined || url !== undefined, {
    message: 'oauth is for a server with a url',
  })

const file = z.strictObject({ servers: z.record(key, entry).default({}) })

/** A server, as the file names it. */
export type ServerEntry = z.output<typeof entry>
/** By the name of the server, which is the name of the extension that its tools become. */
export type ServerEntries = Readonly<Record<string, ServerEntry>>

/** Sorted names of its tools that only read, as their accepted declarations or a person said. */
export const readsOf = ({ tools, reads }: Pick<ServerEntry, 'tools' | 'reads'>): string[] =>
  Object.entries(tools)
    .filter(([name, { hints }]) => hints.includes('read-only') || reads.includes(name))
    .map(([name]) => name)
    .sort()

/** Sorted names of all secrets that a server is given. */
export const secretsFor = ({ secrets, oauth: by }: ServerEntry): string[] =>
  [...new Set([...Object.keys(secrets), ...(by === undefined ? [] : [by.secret])])].sort()

/** @throws {TreeosError} INVALID_INPUT, naming the file and what is wrong in it */
export function readToolsFile(path: string): ServerEntries {
  if (!existsSync(path)) return {}
  const read = file.safeParse(parsedToolsFile(path))
  if (read.success) return read.data.servers
  const [issue] = read.error.issues
  throw wrongToolsFile(path, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'it is malformed'}`)
}

/** Replaces the file as a whole: a reader finds the old one or the new one. */
export function writeToolsFile(path: string, servers: ServerEntries): void {
  const next = `${path}.new`
  writeFileSync(next, `${JSON.stringify({ servers }, null, 2)}\n`, { mode: 0o600 })
  renameSync(next, path)
}

/** @throws {TreeosError} INVALID_INPUT */
export function parseServer(name: string, given: object): ServerEntry {
  if (!isKey(name))
    throw new TreeosError('INVALID_INPUT', `the name of a server is kebab-case, not ${quote(name)}`)
  const read = entry.safeParse(given)
  if (read.success) return read.data
  const [issue] = read.error.issues
  throw new TreeosError(
    'INVALID_INPUT',
    `the server ${name}: ${[...(issue?.path ?? []), issue?.message].join(': ')}`,
  )
}

function parsedToolsFile(path: string): unknown {
  try {
    return JSON.parse(textOfBytes(readFileSync(path)))
  } catch (error) {
    throw wrongToolsFile(path, error instanceof Error ? error.message : String(error))
  }
}

const wrongToolsFile = (path: string, why: string) =>
  new TreeosError('INVALID_INPUT', `${path} does not list tool servers: ${why}`)
