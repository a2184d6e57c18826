/** A space and those around it, up to the root. @param path begins with a slash */
export const ancestry = (path: string): string[] => {
  const spaces = [path]
  for (let up = path; up !== '/'; ) {
    up = up.slice(0, up.lastIndexOf('/')) || '/'
    spaces.push(up)
  }
  return spaces
}
