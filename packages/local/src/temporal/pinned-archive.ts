/** An archive to download, and the SHA-256 that it must have. */
export interface PinnedArchive {
  readonly url: string
  readonly sha256: string
}

/** Temporal's CLI with the server 1.32.0, which packages/local/temporal builds too. */
export const CLI_VERSION = '1.9.1'
/** From `checksums.txt` of the release. */
const CHECKSUMS: Readonly<Record<string, string>> = {
  linux_amd64: '09a0326a51db84d02735e53542b9ebd8c4758daf47482a9ab0abce15844e60d5',
  linux_arm64: '6c57c352d52fc3df34412376fd9ba6f74b7e3ace8e426e6cba8600156d36a145',
  darwin_amd64: '48cdd6c84c56e27ae8e4d9a47052b89289a9c552dee029b49dd312c6fb72873f',
  darwin_arm64: '41e0425378fcb4fb5766340b97435e20fe47bbff2d7bf644ec2d51f7662b7c56',
}

/** The pinned archive for a machine; null when there is none. */
export function pinnedArchive(
  platform: string = process.platform,
  arch: string = process.arch,
): PinnedArchive | null {
  const name = `${platform}_${arch === 'x64' ? 'amd64' : arch}`
  const sha256 = CHECKSUMS[name]
  if (sha256 === undefined) return null
  const release = `https://github.com/temporalio/cli/releases/download/v${CLI_VERSION}`
  return { url: `${release}/temporal_cli_${CLI_VERSION}_${name}.tar.gz`, sha256 }
}
