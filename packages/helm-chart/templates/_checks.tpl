{{- /*
Checks that the schema cannot express, or whose message would print the value: a key written in place of its hash must not
appear in a log. Reports all faults at once.
*/ -}}
{{- define "quarterdeck.checks" -}}
{{- $faults := concat (fromJsonArray (include "quarterdeck.keyFaults" .)) (fromJsonArray (include "quarterdeck.settingFaults" .)) (fromJsonArray (include "quarterdeck.secretFaults" .)) -}}
{{- if $faults -}}
{{- fail (printf "\n- %s\n" (join "\n- " $faults)) -}}
{{- end -}}
{{- end -}}

{{- /* The label of an entry in messages. It leaves out a name that may be a key. */ -}}
{{- define "quarterdeck.keyLabel" -}}
{{- if or (regexMatch "qd_[0-9A-Za-z]{16}|[0-9A-Fa-f]{64}" .entry.name) (eq .entry.name .entry.hash) (eq (sha256sum .entry.name) .entry.hash) -}}
apiKeys.keys[{{ .index }}]
{{- else -}}
apiKeys.keys[{{ .index }}] ({{ .entry.name | toJson }})
{{- end -}}
{{- end -}}

{{- /* An instant in UTC on a day that exists. **Source** RFC 3339. */ -}}
{{- define "quarterdeck.instant" -}}
^(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.][0-9]{1,9})?(?:Z|[+]00:00)$
{{- end -}}

{{- define "quarterdeck.keyFaults" -}}
{{- $faults := list -}}
{{- $hashes := dict -}}
{{- $names := dict -}}
{{- range $index, $entry := .Values.apiKeys.keys -}}
{{- $label := include "quarterdeck.keyLabel" (dict "index" $index "entry" $entry) -}}
{{- if not (regexMatch "^[0-9a-f]{64}$" $entry.hash) -}}
{{- $faults = append $faults (printf "%s.hash: must be the SHA-256 of the key in 64 lowercase hexadecimal digits, never the key itself: `quarterdeck key hash < FILE` prints it for the key in FILE" $label) -}}
{{- else if eq $entry.hash (sha256sum "") -}}
{{- $faults = append $faults (printf "%s.hash: is the hash of an empty file: `quarterdeck key hash < FILE` prints it for the key in FILE" $label) -}}
{{- else if hasKey $hashes $entry.hash -}}
{{- $faults = append $faults (printf "%s.hash: %s has the same hash, and one key must not have two rules: give each entry its own key; `quarterdeck key generate` makes one, and `quarterdeck key hash < FILE` prints the hash of the key in FILE" $label (get $hashes $entry.hash)) -}}
{{- else -}}
{{- $_ := set $hashes $entry.hash $label -}}
{{- end -}}
{{- if hasKey $names $entry.name -}}
{{- $faults = append $faults (printf "%s.name: %s has the same name: give each key its own name; to replace a key, change the hash of its entry to what `quarterdeck key hash < FILE` prints" $label (get $names $entry.name)) -}}
{{- else -}}
{{- $_ := set $names $entry.name $label -}}
{{- end -}}
{{- if and (hasKey $entry "expire") (not (regexMatch (include "quarterdeck.instant" $) $entry.expire)) -}}
{{- $faults = append $faults (printf "%s.expire: must be a valid RFC 3339 time in UTC with seconds, ending in Z or +00:00, such as 2030-01-31T12:00:00Z" $label) -}}
{{- end -}}
{{- $count := 0 -}}
{{- range $entry.rule.targetNamespaces -}}
{{- $count = add $count (len .namespaceNames) -}}
{{- end -}}
{{- if gt (int $count) 500 -}}
{{- $faults = append $faults (printf "%s.rule.targetNamespaces: at most 500 namespace names are allowed in all selectors together; select by label instead" $label) -}}
{{- end -}}
{{- end -}}
{{- toJson $faults -}}
{{- end -}}

{{- /* Helm deletes the chart's own Secret once the chart no longer renders it, even if a value names that Secret. */ -}}
{{- define "quarterdeck.secretFaults" -}}
{{- $faults := list -}}
{{- $own := include "quarterdeck.ownSecret" . -}}
{{- range $value := list "apiKeys" "secretSettings" "kubeconfigs" "tls" "oidc" "serviceMonitor" -}}
{{- if eq $own (default "" (get (get $.Values $value) "secretName")) -}}
{{- $faults = append $faults (printf "%s.secretName: the chart creates the Secret %s itself: give yours another name" $value $own) -}}
{{- end -}}
{{- end -}}
{{- toJson $faults -}}
{{- end -}}

{{- define "quarterdeck.settingFaults" -}}
{{- $faults := list -}}
{{- $server := default dict .Values.settings.server -}}
{{- $cost := default dict .Values.settings.cost -}}
{{- $oidc := default dict .Values.settings.oidc -}}
{{- $addresses := dict "url" (default "" $cost.url) "usage" (default "" $cost.usage) -}}
{{- range $cluster, $source := $cost.usageByCluster -}}
{{- $_ := set $addresses (printf "usageByCluster.%s" $cluster) $source -}}
{{- end -}}
{{- range $name, $address := $addresses -}}
{{- if contains "@" $address -}}
{{- $faults = append $faults (printf "settings.cost.%s: contains a user or password, which every reader of ConfigMaps could see: put the address into a Secret as %s and set secretSettings.secretName to that Secret" $name (ternary "QUARTERDECK_COST_URL" (ternary "QUARTERDECK_USAGE" "QUARTERDECK_USAGE_BY_CLUSTER" (eq $name "usage")) (eq $name "url"))) -}}
{{- end -}}
{{- end -}}
{{- if $oidc -}}
{{- range list "issuer" "clientId" "rules" -}}
{{- if not (get $oidc .) -}}
{{- $faults = append $faults (printf "settings.oidc.%s: is required for sign-in through OpenID Connect" .) -}}
{{- end -}}
{{- end -}}
{{- if not $server.publicUrl -}}
{{- $faults = append $faults "settings.server.publicUrl: is required for sign-in through OpenID Connect: the address at which browsers reach the server" -}}
{{- end -}}
{{- else if .Values.oidc.secretName -}}
{{- $faults = append $faults "oidc.secretName: names a client secret, but settings.oidc names no provider" -}}
{{- end -}}
{{- if .Values.serviceMonitor.enabled -}}
{{- $metrics := default "protected" $server.metrics -}}
{{- if eq $metrics "off" -}}
{{- $faults = append $faults "serviceMonitor.enabled: needs metrics, but settings.server.metrics is off" -}}
{{- else if and (eq $metrics "protected") (not .Values.serviceMonitor.secretName) -}}
{{- $faults = append $faults "serviceMonitor.secretName: must name a Secret with an unscoped Admin key, because settings.server.metrics is protected; public allows every client to read metrics" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.httpRoute.enabled (not .Values.httpRoute.parentRefs) -}}
{{- $faults = append $faults "httpRoute.parentRefs: must name a Gateway; without one the route serves nothing" -}}
{{- end -}}
{{- if and .Values.ingress.tlsSecretName (not .Values.ingress.host) -}}
{{- $faults = append $faults "ingress.host: is required with ingress.tlsSecretName: the host name of the certificate" -}}
{{- end -}}
{{- toJson $faults -}}
{{- end -}}
