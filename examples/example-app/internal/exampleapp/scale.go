package exampleapp

// replicas returns how many Pods the Deployment should have. It is nil once an autoscaler says it. An autoscaler
// does nothing while there are none, so the operator starts the first ones.
func (p *plan) replicas(stopped bool) *int32 {
	autoscaling := p.Parent.Spec.Autoscaling
	switch {
	case stopped:
		return new(int32)
	case autoscaling == nil:
		return p.Parent.Spec.Replicas
	}
	deployment, found := p.Children.Deployments.Get(p.Parent.Name)
	if found && deployment.Spec.Replicas != nil && *deployment.Spec.Replicas > 0 {
		return nil
	}
	return &autoscaling.MinReplicas
}

// scale desires the autoscaler, if there is to be one.
func (p *plan) scale() {
	if p.Parent.Spec.Autoscaling != nil {
		p.want.Autoscalers.Add(autoscalerFor(p.Parent))
	}
}
