import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')

/** What of Temporal's SDK meets payloads: made without the data converter of the host, it meets them in clear. */
const MAKERS =
  /\b(Client|Connection|WorkflowClient|ScheduleClient|ActivityClient|TaskQueueClient|AsyncCompletionClient|NativeConnection|Worker)\b/g
/** Calls that give payloads as they are on the wire. */
const RAW = /\.(fetchHistory|runReplayHistor(?:y|ies))\(/g

/**
 * The one place of each. All other code gets a client, which `temporalClient` makes with the data converter that
 * `readDataConverter` read, or that the worker has.
 */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  'packages/local/src/temporal/connect.ts': ['Client', 'Connection'],
  'apps/worker/src/worker.ts': ['NativeConnection', 'Worker'],
  'apps/worker/src/prepare-services.ts': ['NativeConnection'], // it changes search attributes alone
  'packages/replay/src/replayer.ts': ['Worker', 'runReplayHistories'], // of histories that are decoded
  'packages/replay/src/temporal-history.ts': ['fetchHistory'], // and decodes them
  'packages/replay/src/locate.ts': ['fetchHistory'],
  'packages/host/src/archive.ts': ['fetchHistory'], // and keeps them encoded
}

/** What a source imports at run time of Temporal's clients and workers, and calls of raw histories. */
function makersIn(source: string): string[] {
  const imported = [
    ...source.matchAll(/^import (\{[^}]*\}) from '@temporalio\/(?:client|worker)'/gm),
    ...source.matchAll(/const (\{[^}]*\}) = await import\('@temporalio\/(?:client|worker)'\)/g),
  ].map(([, names = '']) => names.replace(/\btype \w+/g, ''))
  const whole =
    /import \* as \w+ from '@temporalio\/(?:client|worker)'|import\('@temporalio\/(?:client|worker)'\)\)[.]/
  return [
    ...new Set([
      ...imported.flatMap((names) => [...names.matchAll(MAKERS)].map(([name]) => name)),
      ...[...source.matchAll(RAW)].map(([, name = '']) => name),
      ...(whole.test(source) ? ['*'] : []),
    ]),
  ].sort()
}

describe('clients, connections and workers of Temporal', () => {
  it('are made in one place each, where they get the data converter of the host', () => {
    const files = execFileSync(
      'git',
      ['ls-files', '-co', '--exclude-standard', 'packages', 'apps', 'extensions'],
      {
        cwd: root,
        encoding: 'utf8',
      },
    )
      .split('\n')
      .filter((file) => /\/src\/.*[.]tsx?$/.test(file) && !/[.]test[.]tsx?$/.test(file))
    expect(files.length).toBeGreaterThan(500)
    const found = Object.fromEntries(
      files.flatMap((file) => {
        const makers = makersIn(readFileSync(join(root, file), 'utf8'))
        return makers.length === 0 ? [] : [[file, makers]]
      }),
    )
    expect(found).toEqual(
      Object.fromEntries(Object.entries(PLACES).map(([file, names]) => [file, [...names].sort()])),
    )
  })

  it.each([
    ["import { Client } from '@temporalio/client'", ['Client']],
    ["import { type Client, Connection as C } from '@temporalio/client'", ['Connection']],
    ["  const { WorkflowClient } = await import('@temporalio/client')", ['WorkflowClient']],
    ["import {\n  NativeConnection,\n  Worker,\n} from '@temporalio/worker'", ['NativeConnection', 'Worker']],
    ["import * as temporal from '@temporalio/client'", ['*']],
    ['await handle.fetchHistory()', ['fetchHistory']],
    ["import type { Client } from '@temporalio/client'", []],
    ["import { WorkflowNotFoundError } from '@temporalio/client'", []],
  ])('%j names %j', (source, makers) => {
    expect(makersIn(source)).toEqual(makers)
  })
})
