import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Connection, type ConnectionOptions } from '@temporalio/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deafServer } from '../../test/deaf-server.ts'
import { bareEnv, temporaryFolders } from '../../test/instances.ts'
import { stopInstance } from '../instance/stop.ts'
import { findExecutable } from './executables.ts'
import { ensureTemporal, type Temporal } from './temporal.ts'

const folder = temporaryFolders()
const KEY = 'sentinel-key-of-an-instance-77aa'
const INPUT = 'sentinel-workflow-of-a-caller'

/** Calls the address until it is refused, or for a while. @returns whether a call was answered */
async function call(options: ConnectionOptions): Promise<boolean> {
  try {
    const connection = await Connection.connect({ ...options, connectTimeout: 2_000 })
    try {
      await connection.withDeadline(Date.now() + 2_000, () =>
        connection.workflowService.describeNamespace({ namespace: INPUT }),
      )
      return true
    } finally {
      await connection.close()
    }
  } catch {
    return false
  }
}

describe.skipIf(findExecutable('openssl', bareEnv.PATH ?? '') === null)(
  'while our server is down, another program on its port',
  () => {
    let dataDir: string
    let server: Temporal
    let port: number
    beforeAll(async () => {
      dataDir = folder()
      const env = { ...bareEnv, TREEOS_OWN_TEMPORAL: '1' }
      server = await ensureTemporal({ dataDir, searchAttributes: [], env })
      port = Number(server.address.split(':').at(-1))
      await server.stop()
    }, 900_000)
    afterAll(() => stopInstance(dataDir))

    const made = async () => {
      const at = folder()
      const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']
      const of = [
        '-subj',
        '/CN=treeos-temporal',
        '-addext',
        'subjectAltName=DNS:treeos-temporal,IP:127.0.0.1',
      ]
      const files = ['-keyout', 'key.pem', '-out', 'cert.pem']
      await promisify(execFile)('openssl', ['req', ...kind, ...of, ...files], { cwd: at })
      const read = (name: string) => readFileSync(join(at, name), 'utf8')
      return { cert: read('cert.pem'), key: read('key.pem') }
    }

    it.each([
      { what: 'without a certificate', tls: async () => undefined },
      { what: 'with a certificate of its own in our name', tls: made },
    ])('and $what gets no call and no credential', async ({ tls }) => {
      const squatter = await deafServer(port, await tls())
      try {
        expect(server.options.apiKey).toBe(undefined)
        expect(await call(server.options)).toBe(false)
        expect(squatter.received().headers).toBe('')
      } finally {
        await squatter.close()
      }
    })

    it('gets key and call of who shows a key in clear: the control', async () => {
      const squatter = await deafServer(port)
      try {
        expect(await call({ address: server.address, apiKey: KEY, tls: false })).toBe(true)
        expect(squatter.received().headers).toContain(`Bearer ${KEY}`)
      } finally {
        await squatter.close()
      }
    })
  },
)
