// Bundles the JavaScript of every package. Declarations come from `tsc -b`.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'tsup'
import { packageFolders } from './package-folders.mjs'

for (const folder of packageFolders()) {
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  const entry = sources([manifest.exports, manifest.imports, manifest.dsh?.entries])
  if (entry.length === 0) continue
  // The bundler remembers where it was started, so every path is absolute.
  await build({
    entry: entry.map((file) => path.join(folder, file)),
    outDir: path.join(folder, 'dist'),
    config: false,
    format: 'esm',
    target: 'es2024',
    platform: 'neutral',
    dts: false,
    clean: false,
    sourcemap: true,
    silent: true,
    external: [...installed(manifest), /^node:/, /^#/],
    define: { __DSH_VERSION__: JSON.stringify(manifest.version) },
  })
}

function installed({ dependencies, peerDependencies }) {
  return Object.keys({ ...dependencies, ...peerDependencies })
}

/** Every source file that the manifest names, wherever in the conditions it stands. */
function sources(value) {
  if (typeof value === 'string') return value.startsWith('./src/') ? [value.slice(2)] : []
  if (value === null || typeof value !== 'object') return []
  return [...new Set(Object.values(value).flatMap(sources))]
}
