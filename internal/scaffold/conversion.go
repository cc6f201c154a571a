package scaffold

import (
	"fmt"
	"go/ast"
	"io/fs"
	"slices"
	"strings"
	"sync"

	apiextv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/opgen-dev/opgen/internal/gomodel"
	"github.com/opgen-dev/opgen/internal/scaffold/deploy"
	"github.com/opgen-dev/opgen/internal/spec"
)

// CompleteConversion returns an API whose CRD asks the operator to convert objects, if the operator
// can: because the Go types of its versions have the methods of controller-runtime's package
// conversion, or because the API file has the strategy Webhook and no address. Otherwise it returns
// the API as it is. files is the tree of the project.
func CompleteConversion(p *spec.Project, files fs.FS, api API) (API, spec.Problems) {
	operator, declared := operatorOf(p), api.Conversion
	switch {
	case declared == nil:
		converts, problems := checkMethods(p, files, api.Summary)
		if !converts || len(problems) > 0 {
			return api, problems
		}
	case declared.Strategy != apiextv1.WebhookConverter:
		return api, nil
	case operator.IsOwnConversion(serviceOf(declared)):
		return withConversion(operator, api, declared), nil
	case declared.Webhook != nil && declared.Webhook.ClientConfig != nil:
		return api, nil // somebody else converts
	}
	made := operator.Conversion()
	if declared != nil && declared.Webhook != nil {
		made.Webhook.ConversionReviewVersions = declared.Webhook.ConversionReviewVersions
	}
	return withConversion(operator, api, made), nil
}

// withConversion returns an API with another conversion. It has no digest, since its file does not
// say all of that.
func withConversion(operator deploy.Operator, api API, conversion *apiextv1.CustomResourceConversion) API {
	summary := *api.Summary
	summary.Conversion = conversion
	return API{Summary: &summary, Read: sync.OnceValue(func() *spec.API {
		whole := *api.Read()
		whole.Conversion, whole.Annotations = conversion, operator.InjectCA(whole.Annotations)
		return &whole
	})}
}

// serviceOf returns the Service of a conversion, or nil.
func serviceOf(c *apiextv1.CustomResourceConversion) *apiextv1.ServiceReference {
	if c == nil || c.Webhook == nil || c.Webhook.ClientConfig == nil {
		return nil
	}
	return c.Webhook.ClientConfig.Service
}

// conversionMethods says which methods of controller-runtime's conversion a Go type has: Hub, or
// ConvertTo and ConvertFrom.
type conversionMethods struct{ hub, to, from bool }

func (m conversionMethods) isSpoke() bool { return m.to && m.from }

// checkMethods reports whether the Go types of an API's versions convert to each other: one has the
// method Hub, and all others ConvertTo and ConvertFrom. It returns problems if only some do.
func checkMethods(p *spec.Project, files fs.FS, api *spec.Summary) (converts bool, problems spec.Problems) {
	if len(api.Versions) < 2 {
		return false, nil
	}
	methods, hub := make([]conversionMethods, len(api.Versions)), ""
	for i, v := range api.Versions {
		methods[i] = methodsIn(files, gomodel.PackageDir(p, api.Group, v.Name), api.Names.GoKind)
	}
	fail := func(i int, message, hint string) {
		at := fmt.Sprintf("versions[%d].name", i)
		problems = append(problems, spec.Problem{Pos: api.PositionOf(at), Path: at, Message: message, Hint: hint})
	}
	for i, m := range methods {
		switch {
		case m.hub && hub != "":
			fail(i, "the Go types of versions "+hub+" and "+api.Versions[i].Name+" both have the method Hub", "one is the hub, and the others have ConvertTo and ConvertFrom")
		case m.hub:
			hub = api.Versions[i].Name
		}
	}
	for i, m := range methods {
		switch {
		case m.hub:
		case hub != "" && !m.isSpoke():
			fail(i, "version "+hub+" has the method Hub, and the Go type of this one lacks "+m.missing(), "the API server asks for every pair of versions: write the methods, or remove Hub")
		case hub == "" && (m.to || m.from):
			fail(i, "the Go type of this version converts, and none has the method Hub", "write func (*"+api.Names.GoKind+") Hub() {} for the version that the others convert to")
		}
	}
	return hub != "", problems
}

// missing names the methods that a version lacks.
func (m conversionMethods) missing() string {
	var names []string
	if !m.to {
		names = append(names, "ConvertTo")
	}
	if !m.from {
		names = append(names, "ConvertFrom")
	}
	return strings.Join(names, " and ")
}

// methodsIn returns the conversion methods of a Go type that the files of a folder declare.
func methodsIn(files fs.FS, dir, kind string) (found conversionMethods) {
	for _, file := range handWritten(files, dir) {
		for _, decl := range file.Decls {
			method, ok := decl.(*ast.FuncDecl)
			if !ok || receiverOf(method) != kind {
				continue
			}
			takesHub := isHub(method.Type.Params)
			found.hub = found.hub || method.Name.Name == "Hub" && method.Type.Params.NumFields() == 0
			found.to = found.to || method.Name.Name == "ConvertTo" && takesHub
			found.from = found.from || method.Name.Name == "ConvertFrom" && takesHub
		}
	}
	return found
}

// receiverOf returns the name of the type that a method belongs to, or "" for a function.
func receiverOf(method *ast.FuncDecl) string {
	if method.Recv == nil || len(method.Recv.List) != 1 {
		return ""
	}
	receiver := method.Recv.List[0].Type
	if pointer, ok := receiver.(*ast.StarExpr); ok {
		receiver = pointer.X
	}
	name, _ := receiver.(*ast.Ident)
	if name == nil {
		return ""
	}
	return name.Name
}

// isHub reports whether parameters are one of the type Hub of a package.
func isHub(params *ast.FieldList) bool {
	if params.NumFields() != 1 {
		return false
	}
	selector, ok := params.List[0].Type.(*ast.SelectorExpr)
	return ok && selector.Sel.Name == "Hub"
}

// converts reports whether the operator converts objects of one of the APIs.
func (p *project) converts(apis []*spec.Summary) bool {
	return slices.ContainsFunc(apis, func(api *spec.Summary) bool { return p.operator.IsOwnConversion(serviceOf(api.Conversion)) })
}
