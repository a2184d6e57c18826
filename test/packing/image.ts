import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { root } from '../../scripts/packages.ts'
import { userEnvironment } from './user.ts'

const run = promisify(execFile)

/** Root's own folders: Debian's tools need them. */
const PATH = `${process.env.PATH}:/usr/sbin:/sbin`
const IN_IMAGE = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const TOOLS = ['buildah', 'mmdebstrap', 'unshare', 'setpriv', 'npm']
const CERTIFICATES = process.env.NODE_EXTRA_CA_CERTS ?? '/etc/ssl/certs/ca-certificates.crt'
const OUTPUT_MAX = 50_000_000

/** What is missing here to build and to run an image without a daemon; null where nothing is. */
export function missingForImages(): string | null {
  if (process.platform !== 'linux') return 'Linux'
  if (process.getuid?.() !== 0) return 'root'
  const folders = PATH.split(':')
  return TOOLS.find((tool) => !folders.some((folder) => existsSync(join(folder, tool)))) ?? null
}

/** How an image starts and is looked after. */
export interface ImageConfig {
  readonly User: string
  readonly Env: readonly string[]
  readonly Cmd: readonly string[]
  readonly Entrypoint: readonly string[] | null
  readonly Labels: Readonly<Record<string, string>>
  readonly Healthcheck: { readonly Test: readonly string[] }
  readonly StopSignal: string
}

export interface Image {
  readonly name: string
  readonly config: ImageConfig
  /** where its files are, mounted */
  readonly rootfs: string
}

/** Builds with buildah in a store of its own, and without a daemon. */
export class Builder {
  readonly #home: string

  /** @param home a folder for the store, which the caller removes */
  constructor(home: string) {
    this.#home = home
  }

  /** A base as users have it: Debian with the Node of this repository, and npm. */
  async makeBase(name: string): Promise<void> {
    const tar = join(this.#home, 'base.tar')
    const [, codename = 'stable'] =
      /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync('/etc/os-release', 'utf8')) ?? []
    const packages = '--include=ca-certificates,libstdc++6'
    await this.#run('mmdebstrap', '--variant=essential', packages, '--format=tar', codename, tar)
    const npm = resolve(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim()), '../..')
    const base = await this.#buildah('from', 'scratch')
    await this.#buildah('add', '-q', base, tar, '/')
    await this.#buildah('copy', '-q', base, join(root, 'node_modules/node/bin/node'), '/usr/local/bin/node')
    await this.#buildah('copy', '-q', base, npm, '/usr/local/lib/node_modules/npm')
    await this.#buildah('copy', '-q', base, CERTIFICATES, '/etc/ssl/certs/ca-certificates.crt')
    const link = ['ln', '-s', '../lib/node_modules/npm/bin/npm-cli.js', '/usr/local/bin/npm']
    await this.#buildah('run', '--isolation', 'chroot', base, '--', ...link)
    const trusted = 'NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt'
    await this.#buildah('config', '--env', `PATH=${IN_IMAGE}`, '--env', trusted, base)
    await this.#buildah('commit', '-q', '--rm', base, name)
  }

  /** @param context folder with the Dockerfile and what it copies */
  async build(name: string, context: string, args: Readonly<Record<string, string>> = {}): Promise<Image> {
    const npmrc = join(this.#home, 'npmrc')
    const registry = execFileSync('npm', ['config', 'get', 'registry'], {
      env: userEnvironment({}),
      encoding: 'utf8',
    })
    writeFileSync(npmrc, `registry=${registry.trim()}\ncafile=/etc/ssl/certs/ca-certificates.crt\n`)
    const given = Object.entries(args).flatMap(([key, value]) => ['--build-arg', `${key}=${value}`])
    const how = ['--isolation', 'chroot', '--format', 'docker', '--secret', `id=npmrc,src=${npmrc}`]
    await this.#buildah('build', '-q', ...how, ...given, '-t', name, context)
    const inspected = JSON.parse(await this.#buildah('inspect', '--type', 'image', name))
    const container = await this.#buildah('from', '--pull-never', name)
    return { name, config: inspected.Docker.config, rootfs: await this.#buildah('mount', container) }
  }

  /** Unmounts what was built. */
  async close(): Promise<void> {
    await this.#buildah('rm', '--all')
  }

  #buildah(...args: string[]): Promise<string> {
    const [store, runroot] = ['store', 'run'].map((name) => join(this.#home, name)) as [string, string]
    return this.#run('buildah', '--root', store, '--runroot', runroot, '--storage-driver', 'vfs', ...args)
  }

  async #run(command: string, ...args: string[]): Promise<string> {
    const env = { ...process.env, PATH }
    const { stdout } = await run(command, args, { env, maxBuffer: OUTPUT_MAX })
    return stdout.trim()
  }
}

/** Copies what the build of the image takes, and the packed packages, into a folder. */
export function contextOf(packed: string, folder: string): string {
  cpSync(join(root, 'infra/image'), folder, {
    recursive: true,
    filter: (path) => path !== join(root, 'infra/image/packed'),
  })
  cpSync(packed, join(folder, 'packed'), { recursive: true })
  return folder
}

/**
 * What a runtime does with `read_only`, `cap_drop: ALL`, `no-new-privileges`, a tmpfs and volumes, by the
 * kernel's own means: namespaces of processes and of mounts. The network is that of this machine.
 */
const ENTER = `
set -eu
root=$1 user=$2 folder=$3 volumes=$4; shift 4
mount --bind "$root" "$root"
for volume in $volumes; do mkdir -p "$root/\${volume#*:}"; mount --bind "\${volume%%:*}" "$root/\${volume#*:}"; done
mount -o remount,bind,ro "$root"
mount -t proc -o nosuid,nodev,noexec proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o mode=1777,nosuid,nodev,noexec tmpfs "$root/tmp"
exec chroot "$root" setpriv --reuid="\${user%:*}" --regid="\${user#*:}" --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs \\
  sh -c 'cd "$1"; shift; exec "$@"' sh "$folder" "$@"
`

export interface RunOptions {
  /** default: that of the image */
  readonly command?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** a folder here, by the folder in the container */
  readonly volumes?: Readonly<Record<string, string>>
}

/** A running container. Its command is process 1 there. */
export class Container {
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>
  isEnded = false
  readonly #pid: number
  #out = ''
  #err = ''

  constructor({ config, rootfs }: Image, { command = config.Cmd, env = {}, volumes = {} }: RunOptions = {}) {
    const mounts = Object.entries(volumes).map(([at, folder]) => `${folder}:${at}`)
    const inside = ['sh', '-c', ENTER, 'sh', rootfs, config.User, '/app', mounts.join(' '), ...command]
    const child = spawn('unshare', ['--mount', '--pid', '--fork', '--kill-child', ...inside], {
      env: { ...Object.fromEntries(config.Env.map(split)), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#pid = child.pid ?? 0
    child.stdout.setEncoding('utf8').on('data', (text) => (this.#out += text))
    child.stderr.setEncoding('utf8').on('data', (text) => (this.#err += text))
    this.ended = once(child, 'close').then(([code]) => {
      this.isEnded = true
      return { code, out: this.#out, err: this.#err }
    })
  }

  /** What it has written so far. */
  get written(): string {
    return `${this.#out}${this.#err}`
  }

  /** To process 1, as `docker stop` does. */
  signal(signal: NodeJS.Signals): void {
    const children = readFileSync(`/proc/${this.#pid}/task/${this.#pid}/children`, 'utf8')
    process.kill(Number(children.trim()), signal)
  }

  /** Ends it in any case: the kernel forgets what is to end with its parent once the user has changed. */
  kill(): void {
    try {
      this.signal('SIGKILL')
    } catch {
      // it has ended
    }
  }
}

function split(variable: string): [string, string] {
  const at = variable.indexOf('=')
  return [variable.slice(0, at), variable.slice(at + 1)]
}

/** A folder for a volume, which belongs to the user of the image. */
export function volumeFor({ config }: Image, folder: string): string {
  mkdirSync(folder, { recursive: true })
  const [uid = '', gid = ''] = config.User.split(':')
  execFileSync('chown', ['-R', `${uid}:${gid}`, folder])
  return folder
}
