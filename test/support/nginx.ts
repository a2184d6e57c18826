/** nginx, which NGINX names; Debian's package nginx has it. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const NGINX = process.env.NGINX ?? 'nginx'

export const hasNginx = [NGINX, 'openssl'].every((program) => {
  const { error } = spawnSync(program, [program === NGINX ? '-v' : 'version'], { stdio: 'ignore' })
  return error === undefined
})

export class Nginx {
  readonly folder = mkdtempSync(join(tmpdir(), 'treeos-nginx-'))
  readonly #log = join(this.folder, 'error.log')
  #process: ChildProcess | null = null

  /**
   * A certificate for 127.0.0.1.
   * @param ca folder with `ca.pem` and `ca-key.pem`; left out, it signs itself
   */
  certificate(names: string, ca?: string): { readonly cert: string; readonly key: string } {
    const [cert, key, asked, extended] = ['.pem', '-key.pem', '.csr', '.ext'].map((end) =>
      join(this.folder, names + end),
    ) as [string, string, string, string]
    const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' })
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    openssl('req', '-new', ...kind, '-subj', `/CN=${names}`, '-keyout', key, '-out', asked)
    writeFileSync(
      extended,
      `basicConstraints=CA:FALSE\nsubjectAltName=DNS:${names},DNS:localhost,IP:127.0.0.1\n`,
    )
    const by =
      ca === undefined
        ? ['-signkey', key]
        : ['-CA', join(ca, 'ca.pem'), '-CAkey', join(ca, 'ca-key.pem'), '-CAcreateserial']
    openssl('x509', '-req', '-in', asked, ...by, '-extfile', extended, '-out', cert)
    return { cert, key }
  }

  /** @param http what is in its block `http` */
  async start(http: string): Promise<void> {
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => {
      mkdirSync(join(this.folder, name))
      return `${name}_temp_path ${join(this.folder, name)};`
    })
    chmodSync(this.folder, 0o755)
    const user = process.getuid?.() === 0 ? 'user root;' : ''
    const log = this.#log
    const conf = join(this.folder, 'nginx.conf')
    writeFileSync(
      conf,
      `${user}daemon off;worker_processes 1;pid ${join(this.folder, 'pid')};error_log ${log} info;events {}\nhttp {access_log off;${temporary.join('')}\n${http}}\n`,
    )
    this.#process = spawn(NGINX, ['-p', this.folder, '-c', conf, '-e', log], { stdio: 'ignore' })
    for (let tries = 0; tries < 100; tries++) {
      await new Promise((done) => setTimeout(done, 50))
      try {
        if (this.log().includes('start worker processes')) return
      } catch {
        // no log yet
      }
      if (this.#process.exitCode !== null) break
    }
    throw new Error(
      `nginx did not start: ${spawnSync(NGINX, ['-t', '-c', conf], { encoding: 'utf8' }).stderr}`,
    )
  }

  /** What it wrote of errors and warnings. */
  log(): string {
    return readFileSync(this.#log, 'utf8')
  }

  async close(): Promise<void> {
    const ending = this.#process
    if (ending !== null && ending.exitCode === null) {
      const ended = once(ending, 'exit')
      ending.kill()
      await ended
    }
    rmSync(this.folder, { recursive: true })
  }
}
