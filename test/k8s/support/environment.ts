import { listKind, type Manifest, nameOf, type Workload } from './manifest.js';

/** A variable of a container. `secret` is where its value comes from, if not from the manifest. */
export interface SetVariable {
  name: string;
  value?: string;
  secret?: { name: string; key: string; optional?: true };
}

/** The variables of a workload, as Kubernetes merges them: `env` wins over the ConfigMaps of `envFrom`. */
export function listEnvironment(manifests: Manifest[], { containers }: Workload): SetVariable[] {
  const maps = listKind(manifests, 'ConfigMap');
  return containers.flatMap(({ env = [], envFrom = [] }) => {
    const fromMaps = envFrom.flatMap(({ configMapRef }) =>
      maps
        .filter((map) => nameOf(map) === configMapRef?.name)
        .flatMap(({ data = {} }) => Object.entries(data)),
    );
    const own = env.map(({ name, value, valueFrom }) => ({ name, value, secret: valueFrom?.secretKeyRef }));
    const inherited = fromMaps
      // A key that the Secret may lack leaves the value of the ConfigMap.
      .filter(
        ([name]) => !own.some((variable) => variable.name === name && variable.secret?.optional !== true),
      )
      .map(([name, value]) => ({ name, value }));
    return [...inherited, ...own].map(({ name, value, ...rest }) => ({
      name,
      ...(value === undefined ? {} : { value }),
      ...('secret' in rest && rest.secret !== undefined
        ? {
            secret: {
              name: rest.secret.name ?? '',
              key: rest.secret.key,
              ...(rest.secret.optional === true ? { optional: true as const } : {}),
            },
          }
        : {}),
    }));
  });
}
